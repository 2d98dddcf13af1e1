import { expect, test } from 'vitest'
import type { Death } from '../../../src/sim/host/faults.ts'
import type { PackageDefinition } from '../../../src/sim/host/package-solver.ts'
import type { Machine } from '../support/machine.ts'
import { aMachine, content, URL } from './a-machine.ts'

const MINUTE = 60_000
const BAD = '--container-runtime-endpoint=unix:///not/there.sock'
const GRANTED = { GRANT: 'reboot' } as const

const kernelOf = (version: string): readonly PackageDefinition[] => [
  {
    name: 'kernel',
    version,
    installOnly: true,
    depends: [`kernel-core = ${version}`],
    files: { [`/usr/share/doc/kernel-${version}`]: version },
  },
  { name: 'kernel-core', version, installOnly: true, files: { [`/boot/vmlinuz-${version}`]: version } },
]

/** It runs 5.1, which no repository has any more. The boot loader starts the kernel that was installed last. */
function machineOf51(): Machine {
  const machine: Machine = aMachine('dnf', {
    atBoot: () => {
      machine.host.packages.runningKernel = kernels(machine).at(-1)
    },
  })
  const { packages } = machine.host
  packages.offers.set(URL, ['5.2', '5.3', '5.4'].flatMap(kernelOf))
  for (const each of kernelOf('5.1')) packages.put(each)
  packages.runningKernel = '5.1'
  return machine
}

const ORDER = ['5.1', '5.2', '5.3', '5.4', '6.0']
const kernels = ({ host }: Machine) => ORDER.filter((version) => host.files.text(`/boot/vmlinuz-${version}`) !== undefined)
const pinned = (version: string, more: object = {}) => content([{ name: 'kernel', version }], more, 'dnf')
const BY_REBOOT = { rebootOn: ['package:kernel'] }

test('kernel comes beside the one that runs, which no repository has any more', async () => {
  const machine = machineOf51()
  machine.start()
  machine.assign(pinned('5.2'))
  await machine.until('Applied')

  expect(kernels(machine)).toEqual(['5.1', '5.2'])
  expect(machine.host.reboots).toBe(0)
  expect(await machine.host.packages.installed('kernel')).toMatchObject({ version: '5.2', others: ['5.1'], running: '5.1' })
})

test('undo of a kernel takes exactly that version away, and what others installed meanwhile stays', async () => {
  const machine = machineOf51()
  const { packages } = machine.host
  const apply = packages.apply.bind(packages)
  packages.apply = async (work) => {
    await apply(work)
    if (work.install.length > 0) for (const each of kernelOf('6.0')) packages.put(each)
  }
  machine.start()
  machine.assign({ ...pinned('5.2'), flags: BAD })
  await machine.until('RolledBack', 'Failed')

  expect(machine.status?.error).toMatchObject({ reason: 'PackageFailed' })
  expect(machine.status?.phase).toBe('RolledBack')
  expect(kernels(machine)).toEqual(['5.1', '6.0'])
})

test('kernel under rebootOn runs after one boot, and goes by one more when the node fails with it', async () => {
  const machine = machineOf51()
  machine.start()
  machine.assign(pinned('5.2', BY_REBOOT), GRANTED)
  await machine.until('Applied')
  expect([machine.host.packages.runningKernel, machine.host.reboots]).toEqual(['5.2', 1])
  await machine.clock.advance(15 * MINUTE)

  const bad = machine.assign({ ...pinned('5.3', BY_REBOOT), flags: BAD }, GRANTED)
  await machine.untilDigest(bad, 'RolledBack')
  expect(kernels(machine)).toEqual(['5.1', '5.2'])
  await machine.clock.advance(15 * MINUTE)
  expect([machine.host.packages.runningKernel, machine.host.reboots]).toEqual(['5.2', 3])
})

test('kernel that is older than the one that runs: the newer one goes by a reboot, also where rebootOn does not name it', async () => {
  const machine = machineOf51()
  machine.start()
  machine.assign(pinned('5.2', BY_REBOOT), GRANTED)
  await machine.until('Applied')
  await machine.clock.advance(15 * MINUTE)
  const back = machine.assign(pinned('5.1'), { GRANT: 'drain' })
  expect(await machine.untilDigest(back, 'Blocked')).toMatchObject({ needs: 'reboot' })
  expect(kernels(machine)).toEqual(['5.1', '5.2'])

  machine.assign(pinned('5.1'), GRANTED)
  await machine.until('Applied')
  expect(kernels(machine)).toEqual(['5.1'])
  expect(await machine.host.packages.installed('kernel-core')).toMatchObject({ version: '5.1', others: [], running: '5.1' })
})

test('kernel is given back when Git no longer names it: what nodewave brought goes, with its parts', async () => {
  const machine = machineOf51()
  machine.start()
  for (const version of ['5.2', '5.3', '5.4']) await machine.untilDigest(machine.assign(pinned(version)), 'Applied')
  await machine.clock.advance(15 * MINUTE)
  expect(kernels(machine)).toEqual(['5.1', '5.2', '5.3', '5.4'])
  machine.host.packages.offers.clear()
  await machine.untilDigest(machine.assign(content([], {}, 'dnf'), GRANTED), 'Applied')

  expect(kernels(machine)).toEqual(['5.1'])
  expect(await machine.host.packages.installed('kernel')).toMatchObject({ version: '5.1', others: [], held: false })
})

test('two profiles that name other versions of a kernel and of its part change nothing', async () => {
  const machine = machineOf51()
  machine.start()
  const both = [
    { name: 'kernel', version: '5.2' },
    { name: 'kernel-core', version: '5.3' },
  ]
  machine.assign(content(both, {}, 'dnf'))

  expect((await machine.until('Failed', 'RolledBack')).error).toMatchObject({ reason: 'PackageConflict' })
  expect(kernels(machine)).toEqual(['5.1'])
})

async function runToEnd(flags: string, death?: Death, meanwhile?: (machine: Machine) => void) {
  const machine = machineOf51()
  const digest = machine.assign({ ...pinned('5.2', BY_REBOOT), flags }, GRANTED)
  const agent = machine.start(death)
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(machine.status.phase)
  await machine.clock.runUntil(() => agent.dead || ended())
  if (agent.dead) {
    machine.kill()
    meanwhile?.(machine)
    machine.start()
  }
  await machine.clock.runUntil(ended)
  const { version, others } = (await machine.host.packages.installed('kernel-core')) ?? {}
  return { effects: agent.effects, end: { phase: machine.status?.phase, kernels: kernels(machine), version, others } }
}

function powerCut({ host }: Machine): void {
  host.powerOff()
  host.powerOn()
}

test.each([
  ['a good assignment', '--v=3', { phase: 'Applied', kernels: ['5.1', '5.2'], version: '5.2', others: ['5.1'] }],
  ['one with which the kubelet crashes', BAD, { phase: 'RolledBack', kernels: ['5.1'], version: '5.1', others: [] }],
] as const)(
  'kernels come to the same end after %s when the agent dies after any effect',
  { timeout: 120_000 },
  async (_, flags, end) => {
    const calm = await runToEnd(flags)
    expect(calm.end).toEqual(end)
    for (let effect = 1; effect <= calm.effects; effect++)
      for (const meanwhile of [undefined, powerCut]) {
        const { end: found } = await runToEnd(flags, { afterEffect: effect }, meanwhile)
        expect(found, `${meanwhile ? 'power cut' : 'killed'} after effect ${effect}`).toEqual(end)
      }
  },
)
