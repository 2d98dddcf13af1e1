import { byText } from '../../protocol/by-text.ts'
import { sysctlPath } from '../../protocol/sysctl-name.ts'
import { sysctlLine, sysctlWords } from '../../protocol/sysctl-rules.ts'
import { SECTION_FILES } from '../../protocol/written-paths.ts'
import type { HostFiles } from '../ports.ts'
import { isTrustedDirectory } from '../trusted-directory.ts'
import { defineKind } from './define-kind.ts'
import { giveBackFile } from './file.ts'
import { fileBaselines } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { Kind } from './kind.ts'
import { type ActualFile, reading, readRegular } from './regular-file.ts'

/** After 99-sysctl.conf, by which Debian and Red Hat have /etc/sysctl.conf read. */
export const SYSCTL_FILE = SECTION_FILES.sysctls
const NAME = SYSCTL_FILE.slice(SYSCTL_FILE.lastIndexOf('/') + 1)

/** A file hides those of the same name in the directories after its own. */
const DIRECTORIES = ['/etc/sysctl.d', '/run/sysctl.d', '/usr/local/lib/sysctl.d', '/usr/lib/sysctl.d', '/lib/sysctl.d']

interface SysctlFileSpec {
  readonly sysctls: Readonly<Record<string, string>>
}

interface Actual {
  readonly file: ActualFile | undefined
  /** Read after ours at boot, in that order. */
  readonly later: readonly { readonly path: string; readonly text: string }[]
}

/** What systemd-sysctl sets when the machine boots. */
export const sysctlFile: Kind<SysctlFileSpec> = defineKind({
  name: 'sysctl-file',
  ...fileHands,
  subject: () => SYSCTL_FILE,
  observe: async (_, { files }): Promise<Actual> => ({
    file: await readRegular(files, SYSCTL_FILE),
    later: await reading(laterFiles(files)),
  }),
  differ: ({ sysctls }: SysctlFileSpec, { file }): FileChange | undefined => {
    const text = textOf(sysctls)
    if (file !== undefined && Buffer.from(file.bytes).toString() === text) return undefined
    return { do: 'write', path: SYSCTL_FILE, bytes: Buffer.from(text), ...(file ? {} : { mode: 0o644 }) }
  },
  overridden: ({ sysctls }, { later }) =>
    Object.entries(sysctls).flatMap(([name, value]) => overriddenBy({ name, value, later })),
  baseline: { ...fileBaselines, giveBack: giveBackFile },
})

function textOf(sysctls: Readonly<Record<string, string>>): string {
  const lines = Object.entries(sysctls).map(([name, value]) => `${name} = ${value}\n`)
  return `# Written by nodewave: a change here is overwritten.\n${lines.join('')}`
}

function overriddenBy({ name, value, later }: { name: string; value: string; later: Actual['later'] }): string[] {
  const last = later.findLast(({ text }) => valueIn(text, name) !== undefined)
  return last === undefined || valueIn(last.text, name) === sysctlWords(value) ? [] : [`${last.path}: ${name}`]
}

/** A pattern, as `net.ipv4.conf.*.rp_filter`, gives way to a name. */
function valueIn(text: string, name: string): string | undefined {
  const last = text
    .split('\n')
    .flatMap(sysctlLine)
    .findLast(([key]) => sysctlPath(key) === sysctlPath(name))
  return last && sysctlWords(last[1])
}

async function laterFiles(files: HostFiles): Promise<Actual['later']> {
  const found = new Map<string, string>()
  for (const directory of DIRECTORIES) {
    if (!(await isTrustedDirectory(directory, files))) continue
    const names = (await files.list(directory)).filter((name) => name > NAME && name.endsWith('.conf'))
    for (const name of names) if (!found.has(name)) found.set(name, `${directory}/${name}`)
  }
  const later: { path: string; text: string }[] = []
  for (const [, path] of [...found].sort(byText(([key]) => key)))
    later.push({ path, text: Buffer.from((await files.read(path)) ?? []).toString() })
  return later
}
