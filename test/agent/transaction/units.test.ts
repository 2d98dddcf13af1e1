import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const withUnits = (...units: object[]) => ({ host: JSON.stringify({ units }) })

test('agent puts the host back when it is told to enable a unit that the host does not have', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  machine.assign({ ...withUnits({ name: 'chronyd.service', enabled: true, state: 'running' }), flags: '--v=3' })

  expect((await machine.until('RolledBack', 'Failed')).error).toEqual({
    reason: 'ApplyFailed',
    message: 'failed to sync: internal failure: systemctl: Unit chronyd.service not found.',
  })
  expect(machine.status?.phase).toBe('RolledBack')
  expect(machine.hostFiles()).toEqual(before)
})

test('agent does not judge a kubelet while the service manager does not answer', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/journal.jsonl')?.includes('committed') ?? false)
  machine.host.faults.services = 'silent'
  await machine.clock.advance(30_000)
  machine.host.faults.services = undefined

  expect(await machine.until('Applied', 'RolledBack', 'Failed')).toMatchObject({ digest, phase: 'Applied' })
})

test('agent waits for a service manager that does not answer before it takes a unit for what it was', async () => {
  const machine = new Machine()
  machine.start()
  machine.host.faults.services = 'silent'
  const digest = machine.assign(withUnits({ name: 'containerd.service', enabled: true, state: 'running' }))
  expect((await machine.until('Staging')).error?.reason).toBe('Internal')
  machine.host.faults.services = undefined
  await machine.untilDigest(digest, 'Applied')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await machine.host.services.show('containerd.service')).toMatchObject({ enabled: true, active: 'active' })
})

test.each([{ enabled: false }, { state: 'stopped' }, { masked: true }])(
  'agent does not take the kubelet out of service by %j',
  async (spec) => {
    const machine = new Machine()
    machine.start()
    machine.assign(withUnits({ name: 'kubelet.service', ...spec }))

    expect((await machine.until('Applied', 'RolledBack')).error?.reason).toBe('UnitNotAllowed')
    expect(await machine.host.services.show('kubelet.service')).toMatchObject({ enabled: true, active: 'active' })
  },
)
