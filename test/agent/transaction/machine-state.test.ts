import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const journal = (machine: Machine) => machine.host.files.text('/var/lib/nodewave/journal.jsonl') ?? ''

/** A machine that is told to go down when so much of a change is in the journal, and comes up again. */
async function rebooted(mark: string, machineState: 'starting' | 'up' = 'up') {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => journal(machine).includes(mark))
  machine.host.services.shutDown()
  await machine.clock.advance(MINUTE)
  machine.host.powerOff()
  machine.kill()
  const phase = machine.status?.phase
  machine.host.powerOn({ machine: machineState })
  machine.start()
  return { machine, digest, phase }
}

test.each(['"begin"', '"intent"', '"done"', '"committed"'])(
  'agent does not blame a change for a machine that is told to go down after %s',
  async (mark) => {
    const { machine, digest, phase } = await rebooted(mark)

    expect(phase).toBe('Applying')
    expect(await machine.until('Applied', 'RolledBack', 'Failed')).toMatchObject({ digest, phase: 'Applied' })
    expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  },
)

test('agent does not blame a change for a kubelet that dies while its machine starts', async () => {
  const { machine, digest } = await rebooted('"committed"', 'starting')
  machine.host.injectCrash(() => 'validate CRI v1 runtime API: no such file')
  await machine.clock.advance(MINUTE)
  machine.host.injectCrash(() => undefined)
  await machine.host.services.restart('kubelet.service')
  machine.host.services.boot()

  expect(await machine.until('Applied', 'RolledBack', 'Failed')).toMatchObject({ digest, phase: 'Applied' })
})

test('agent waits no longer than two minutes for a machine whose start does not end', async () => {
  const { machine, digest } = await rebooted('"committed"', 'starting')
  const startedAt = machine.clock.elapsed()
  await machine.untilDigest(digest, 'Applied')

  expect(machine.clock.elapsed() - startedAt).toBeGreaterThan(110_000)
  expect(machine.clock.elapsed() - startedAt).toBeLessThan(140_000)
})

test('agent does not blame a change for a Node that is slow to be Ready after its machine lost its power', async () => {
  const { machine, digest } = await rebooted('"committed"')
  machine.node.kubeletTold({ ready: false, kubeletVersion: undefined })
  machine.node.kubeletTold = () => {}

  expect(await machine.until('Applied', 'RolledBack', 'Failed')).toMatchObject({ digest, phase: 'Applied' })
})
