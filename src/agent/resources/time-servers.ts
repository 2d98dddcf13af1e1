import type { HostTime } from '../../protocol/system-sections.ts'
import { SECTION_FILES } from '../../protocol/written-paths.ts'
import { AgentError } from '../agent-error.ts'
import type { HostFiles } from '../ports.ts'
import { defineKind } from './define-kind.ts'
import { giveBackFile } from './file.ts'
import { fileBaselines } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { Kind } from './kind.ts'
import { readRegular } from './regular-file.ts'

export const TIME_SERVERS_FILE = SECTION_FILES.timeServers

/** Units of the programs that would set the same clock. */
const OTHERS = ['chrony.service', 'chronyd.service', 'ntp.service', 'ntpd.service', 'ntpsec.service', 'openntpd.service']
/** Where what is enabled has a link. */
const ENABLED = '/etc/systemd/system/multi-user.target.wants'

type TimeServersSpec = NonNullable<HostTime['ntp']>

/** Whom systemd-timesyncd asks. One clock is set by one program: where another one is enabled, a person decides which. */
export const timeServers: Kind<TimeServersSpec> = defineKind({
  name: 'time-servers',
  ...fileHands,
  subject: (_: TimeServersSpec) => TIME_SERVERS_FILE,
  observe: async (_, { files }) => ({ file: await readRegular(files, TIME_SERVERS_FILE), others: await enabledOthers(files) }),
  differ: (spec, { file }): FileChange | undefined => {
    const bytes = Buffer.from(textOf(spec))
    if (file !== undefined && Buffer.compare(file.bytes, bytes) === 0) return undefined
    return { do: 'write', path: TIME_SERVERS_FILE, bytes }
  },
  // What the same commit disables was disabled before.
  perform: async (change: FileChange, hands) => {
    refuse(await enabledOthers(hands.files))
    await fileHands.perform(change, hands)
  },
  overridden: (_, { others }) => others.map((name) => `${ENABLED}/${name}: time.ntp`),
  baseline: { ...fileBaselines, giveBack: giveBackFile },
})

function textOf({ servers, fallbackServers }: TimeServersSpec): string {
  const fallback = fallbackServers === undefined ? '' : `FallbackNTP=${fallbackServers.join(' ')}\n`
  return `# Written by nodewave: a change here is overwritten.\n[Time]\nNTP=\nNTP=${servers.join(' ')}\n${fallback}`
}

async function enabledOthers(files: HostFiles): Promise<readonly string[]> {
  const enabled = await files.list(ENABLED)
  return OTHERS.filter((name) => enabled.includes(name))
}

function refuse(others: readonly string[]): void {
  if (others.length === 0) return
  throw new AgentError(
    `keep the time by systemd-timesyncd: ${others.join(', ')} is enabled and sets the same clock; name it under units with enabled: false and state: stopped, or take out time.ntp`,
    { kind: 'validate', reason: 'OtherTimeService' },
  )
}
