import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'
import { MINUTE } from './some-faults.ts'

/** It goes on to take up assignments, and a removal counts again. */
async function expectGivenBackAfterNext(machine: Machine): Promise<void> {
  const next = machine.assign({ flags: '--v=4' })
  await machine.untilDigest(next, 'Applied')
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
}

test('agent does not take a Node that was deleted and registered again for an assignment that was removed', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  machine.kill()
  machine.start()
  machine.node.registerAgain('u2')
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', active: digest })
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  await expectGivenBackAfterNext(machine)
})

test('agent keeps its host when etcd is restored from a time in which its Node was registered again and not assigned yet', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  machine.node.registerAgain('u2')
  await machine.clock.advance(20 * MINUTE)
  const backup = machine.node.annotations
  machine.assign({ flags: '--v=3' }, { ASSIGNED: '2026-01-01T01:00:00Z' })
  await machine.clock.advance(20 * MINUTE)
  machine.node.restore(backup)
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'RolledBack', active: digest, error: { reason: 'AssignmentLost' } })
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  await expectGivenBackAfterNext(machine)
})

test.each([
  ['while the agent runs', false],
  ['while the agent is away', true],
])(
  'agent keeps its host when etcd is restored from before the first assignment %s, until it is assigned again',
  async (_, isAway) => {
    const machine = new Machine()
    machine.start()
    const digest = machine.assign({ flags: '--v=3' })
    await machine.until('Applied')
    await machine.clock.advance(20 * MINUTE)
    if (isAway) machine.kill()
    machine.node.restore({})
    if (isAway) machine.start()
    await machine.clock.advance(20 * MINUTE)
    machine.kill()
    machine.start()
    await machine.clock.advance(20 * MINUTE)

    expect(machine.status).toMatchObject({ phase: 'RolledBack', active: digest, error: { reason: 'AssignmentLost' } })
    const missing = machine.node.annotations
    machine.assign({ flags: '--v=3' })
    await machine.until('Applied')
    machine.node.restore(missing)
    await machine.clock.advance(20 * MINUTE)
    expect(machine.status).toMatchObject({ phase: 'RolledBack', active: digest, error: { reason: 'AssignmentLost' } })
    expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
    await expectGivenBackAfterNext(machine)
  },
)

test('agent keeps its host when etcd is restored from before the first assignment, whenever it dies then', async () => {
  for (let effect = 1; effect <= 8; effect++) {
    const machine = new Machine()
    machine.start()
    const digest = machine.assign({ flags: '--v=3' })
    await machine.until('Applied')
    await machine.clock.advance(20 * MINUTE)
    machine.kill()
    machine.node.restore({})
    machine.start({ afterEffect: effect })
    await machine.clock.advance(6 * MINUTE)
    machine.start()
    await machine.clock.advance(6 * MINUTE)
    expect(machine.status, `dead after effect ${effect}`).toMatchObject({ phase: 'RolledBack', active: digest })
  }
})

test('agent keeps its host when etcd is restored from between two adoptions, and gives it back when it is assigned nothing', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  machine.annotate(null)
  await machine.until('Reverted')
  const backup = machine.node.annotations
  machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  machine.node.restore(backup)
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status?.error?.message).toBe(
    'failed to load config: refuse the desired-config: the Node has none, and shows no report about one, as after a restore of etcd; the host stays as it is until it is assigned again; to let go of it: kubectl annotate --overwrite node a nodewave.io/desired-config={}, and when that is Applied, remove it',
  )
  machine.annotate('{}')
  await machine.until('Applied')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
  machine.annotate(null)
  await machine.until('Reverted')
})
