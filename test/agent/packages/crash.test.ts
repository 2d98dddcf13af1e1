import { expect, test } from 'vitest'
import type { Death, DiskFault } from '../../../src/sim/host/faults.ts'
import type { Machine } from '../support/machine.ts'
import { aMachine, content, type Manager, offered, ownSource, SOURCES, URL } from './a-machine.ts'

const MINUTE = 60_000
const GOOD = '--v=3'
const BAD = '--container-runtime-endpoint=unix:///not/there.sock'

/** A package that goes up, one that comes over a file made by hand, one that goes; a dependency, and a repository that the host has not. */
function assigned(machine: Machine, flags: string): string {
  const { manager } = machine.host.packages.format
  const packages = [
    { name: 'app', version: '2.0' },
    { name: 'tool', version: '1.1' },
    { name: 'old', state: 'absent' },
  ]
  return machine.assign({ ...content(packages, { files: [{ path: '/etc/motd', content: 'hello' }] }, manager), flags })
}

async function furnished(manager: Manager = 'apt'): Promise<Machine> {
  const machine = aMachine(manager)
  const { packages, files } = machine.host
  packages.put(offered('lib', '1.0'), { automatic: true })
  packages.put(offered('app', '1.0'), { held: true })
  packages.put({ name: 'old', version: '0.1', files: { '/usr/bin/old': 'old' } })
  files.put('/usr/bin/tool', 'made by hand', { mode: 0o750 })
  files.put(...ownSource(manager))
  packages.offers.set(URL, [
    ...(packages.offers.get(URL) ?? []),
    { name: 'old', version: '0.1', files: { '/usr/bin/old': 'old' } },
  ])
  await machine.clock.advance(5000)
  return machine
}

interface Story {
  readonly manager?: Manager | undefined
  readonly flags: string
  readonly death?: Death
  readonly disk?: DiskFault
  /** What happens between the death of an agent and the start of the next one. */
  readonly meanwhile?: (machine: Machine) => void | Promise<void>
}

async function runToEnd({ manager, flags, death, disk, meanwhile }: Story) {
  const machine = await furnished(manager)
  const digest = assigned(machine, flags)
  const onEffect = (count: number): void => {
    if (disk !== undefined && count === death?.afterEffect) machine.host.faults.disk = disk
  }
  const agent = machine.start(disk === undefined ? death : { onEffect })
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(machine.status.phase)
  await machine.clock.runUntil(() => agent.dead || machine.host.faults.disk !== undefined || ended())
  if (machine.host.faults.disk !== undefined) await machine.clock.advance(10 * MINUTE)
  machine.host.faults.disk = undefined
  if (agent.dead) {
    machine.kill()
    await meanwhile?.(machine)
    machine.start()
  }
  await machine.clock.runUntil(ended)
  return { effects: agent.effects, phase: machine.status?.phase, files: machine.hostFiles(), machine }
}

function powerCut({ host }: Machine): void {
  host.powerOff()
  host.powerOn()
}

/** The power fails while the package manager has unpacked what it installs, and configured none of it. */
async function halfConfigured(machine: Machine): Promise<void> {
  powerCut(machine)
  const { packages, files } = machine.host
  const names = Object.keys(files.snapshot()).filter((path) => /_2\.0_.*\.(?:deb|rpm)$/.test(path))
  const isUnderWay = files.text('/var/lib/nodewave/journal.jsonl')?.includes('"kind":"package"') ?? false
  if (names.length === 0 || !isUnderWay || (await packages.installed('app'))?.version !== '1.0') return
  packages.faults.interrupted = true
  await packages.apply({ install: names, remove: [] }).catch(() => {})
  packages.faults.interrupted = false
}

test.each([
  ['apt', 'a good assignment', GOOD, 'Applied'],
  ['apt', 'one with which the kubelet crashes', BAD, 'RolledBack'],
  ['dnf', 'a good assignment', GOOD, 'Applied'],
  ['dnf', 'one with which the kubelet crashes', BAD, 'RolledBack'],
  ['zypper', 'a good assignment', GOOD, 'Applied'],
  ['zypper', 'one with which the kubelet crashes', BAD, 'RolledBack'],
] as const)(
  'packages of %s come to the same end after %s when the agent dies after any effect',
  { timeout: 120_000 },
  async (manager, _, flags, phase) => {
    const calm = await runToEnd({ manager, flags })
    expect(calm.phase).toBe(phase)
    const stories: [name: string, story: Partial<Story>][] = [
      ['killed', {}],
      ['power cut', { meanwhile: powerCut }],
      ['half configured', { meanwhile: halfConfigured }],
    ]
    for (let effect = 1; effect <= calm.effects; effect++)
      for (const [name, story] of stories) {
        const killed = await runToEnd({ manager, flags, death: { afterEffect: effect }, ...story })
        expect({ phase: killed.phase, files: killed.files }, `${name} after effect ${effect}`).toEqual({
          phase,
          files: calm.files,
        })
      }
  },
)

test('packages are put back when the repository is gone after any effect of a change that fails', {
  timeout: 120_000,
}, async () => {
  const calm = await runToEnd({ flags: BAD })
  for (let effect = 1; effect <= calm.effects; effect++) {
    const meanwhile = ({ host }: Machine) => host.packages.offers.clear()
    const { machine } = await runToEnd({ flags: BAD, death: { afterEffect: effect, torn: true }, meanwhile: (m) => powerCut(m) })
    expect(machine.status?.phase, `torn at effect ${effect}`).toBe('RolledBack')
    const again = await furnished()
    const digest = assigned(again, BAD)
    const agent = again.start({ afterEffect: effect })
    await again.clock.runUntil(() => agent.dead)
    again.kill()
    meanwhile(again)
    again.start()
    await again.clock.advance(30 * MINUTE)
    const isBack =
      again.host.files.text('/usr/bin/app') === 'app 1.0' && again.host.files.text('/usr/bin/tool') === 'made by hand'
    expect(
      { isBack, digest: again.status?.digest === digest || again.status === undefined },
      `gone after effect ${effect}`,
    ).toEqual({ isBack: true, digest: true })
    expect(again.host.files.text(SOURCES), `gone after effect ${effect}`).toBeUndefined()
  }
})

test('packages are as assigned or as before when the disk is full from any effect on, or the status says that they are not', {
  timeout: 120_000,
}, async () => {
  const before = (await furnished()).hostFiles()
  const calm = await runToEnd({ flags: GOOD })
  for (let effect = 1; effect <= calm.effects; effect++) {
    const { phase, files } = await runToEnd({ flags: GOOD, death: { afterEffect: effect }, disk: 'ENOSPC' })
    // The configuration of a package that came and was removed again.
    const { '/etc/tool.conf': _, ...others } = files
    if (phase !== 'Failed')
      expect(phase === 'Applied' ? files : others, `full from effect ${effect}`).toEqual(
        phase === 'Applied' ? calm.files : before,
      )
  }
})

test('packages are put back after somebody else has had the package database', { timeout: 120_000 }, async () => {
  const machine = await furnished()
  const digest = assigned(machine, BAD)
  const agent = machine.start({ after: { method: 'apply' } })
  await machine.clock.runUntil(() => agent.dead)
  machine.kill()
  machine.host.packages.faults.lock = 'apt-get (pid 4711)'
  machine.start()
  await machine.clock.advance(5 * MINUTE)
  expect(machine.host.files.text('/usr/bin/app')).toBe('app 2.0')
  machine.host.packages.faults.lock = undefined
  await machine.untilDigest(digest, 'RolledBack')

  expect(machine.host.files.text('/usr/bin/app')).toBe('app 1.0')
})
