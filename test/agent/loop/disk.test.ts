import { expect, test } from 'vitest'
import type { DiskFault } from '../../../src/sim/host/faults.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { SimulatedServices } from '../../../src/sim/host/simulated-services.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const GOOD = '--v=3'
const BAD = '--container-runtime-endpoint=unix:///not/there.sock'

/** A machine that runs something already, its files as they are then, and how often its kubelet was restarted since. */
async function running(onEffect?: (machine: Machine, count: number) => void) {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=1', config: 'maxPods: 5\n' }), 'Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.kill()
  const restarts: number[] = []
  const { restart } = SimulatedServices.prototype
  machine.host.services.restart = (unit) => {
    if (unit === 'kubelet.service') restarts.push(machine.clock.elapsed())
    return restart.call(machine.host.services, unit)
  }
  const agent = machine.start(onEffect && { onEffect: (count) => onEffect(machine, count) })
  return { machine, agent, restarts, before: machine.hostFiles() }
}

/** The disk refuses from an effect on, and works again after forty minutes. */
async function onBrokenDisk(story: { readonly code: DiskFault; readonly effect: number; readonly flags: string }) {
  const { machine, restarts, before } = await running((host, count) => {
    if (count === story.effect) host.host.faults.disk = story.code
  })
  const digest = machine.assign({ flags: story.flags, config: 'maxPods: 9\n' })
  await machine.clock.advance(20 * MINUTE)
  const early = restarts.length
  await machine.clock.advance(20 * MINUTE)
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack'].includes(machine.status.phase)
  return { machine, before, early, late: restarts.length - early, ended }
}

async function calmEnd(flags: string) {
  const { machine, agent } = await running()
  await machine.untilDigest(machine.assign({ flags, config: 'maxPods: 9\n' }), flags === GOOD ? 'Applied' : 'RolledBack')
  return { files: machine.hostFiles(), effects: agent.effects }
}

test.each<[DiskFault, string]>([
  ['ENOSPC', GOOD],
  ['ENOSPC', BAD],
  ['EIO', GOOD],
  ['EIO', BAD],
  ['EROFS', GOOD],
  ['EROFS', BAD],
])(
  'agent says what is so, and leaves the kubelet in peace, when the disk answers %s from any effect on: %s',
  async (code, flags) => {
    const calm = await calmEnd(flags)
    for (let effect = 1; effect <= calm.effects; effect++) {
      const told = `${code} from effect ${effect}`
      const { machine, before, early, late, ended } = await onBrokenDisk({ code, effect, flags })
      expect(early, told).toBeLessThan(12)
      expect(late, told).toBe(0)
      machine.host.faults.disk = undefined
      await machine.clock.runUntil(ended)

      expect(machine.hostFiles(), told).toEqual(machine.status?.phase === 'Applied' ? calm.files : before)
      if (flags === BAD) expect(machine.status?.phase, told).toBe('RolledBack')
    }
  },
)

test('agent that is killed after an undo of which a full disk let it write nothing does not take it for applied', async () => {
  const calm = await calmEnd(BAD)
  for (let effect = 1; effect <= calm.effects; effect++) {
    const { machine, before, ended } = await onBrokenDisk({ code: 'ENOSPC', effect, flags: BAD })
    machine.kill()
    machine.host.faults.disk = undefined
    machine.start()
    await machine.clock.runUntil(ended)

    expect(machine.status?.phase, `full from effect ${effect}`).toBe('RolledBack')
    expect(machine.hostFiles(), `full from effect ${effect}`).toEqual(before)
  }
})

test('agent that could change nothing puts nothing back: no kubelet is restarted, and nobody is called', async () => {
  const { machine, restarts } = await running()
  const { writeAtomic } = MemoryFiles.prototype
  machine.host.files.writeAtomic = async (path, ...more) => {
    if (path === '/etc/default/kubelet')
      throw Object.assign(new Error(`EPERM: operation not permitted, rename '${path}'`), { code: 'EPERM' })
    return writeAtomic.call(machine.host.files, path, ...more)
  }
  machine.host.files.restore = async (_, path) => {
    throw Object.assign(new Error(`EPERM: operation not permitted, rename '${path}'`), { code: 'EPERM' })
  }
  machine.assign({ flags: '--v=2', config: 'maxPods: 5\n' })

  expect((await machine.until('RolledBack', 'Failed')).error).toEqual({
    reason: 'ApplyFailed',
    message: "failed to sync: internal failure: EPERM: operation not permitted, rename '/etc/default/kubelet'",
  })
  expect(machine.status?.phase).toBe('RolledBack')
  expect(restarts).toEqual([])
})

test.each(['ENOSPC', 'EIO', 'EROFS'] as const)(
  'agent that cannot go back for %s says so, and goes back when it can',
  async (fault) => {
    const machine = new Machine()
    machine.start()
    machine.assign({ flags: '--v=2' })
    await machine.until('Applied')
    await machine.clock.advance(11 * MINUTE)
    await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')
    machine.host.faults.disk = fault
    machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
    await machine.until('Failed')
    await machine.clock.advance(20 * MINUTE)
    expect(machine.status).toMatchObject({ phase: 'Failed' })
    expect(machine.status?.error?.message).toContain('out of luck; going back to what last worked failed')
    machine.host.faults.disk = undefined
    await machine.until('RolledBack')

    expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=2"\n')
  },
)
