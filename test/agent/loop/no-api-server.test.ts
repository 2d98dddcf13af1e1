import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'
import { forbidden, MINUTE } from './some-faults.ts'

test('agent that loses the network while it applies keeps what works, and reports when the network is back', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/default/kubelet')?.includes('--v=3') ?? false)
  machine.host.faults.network = 'lost'
  await machine.clock.advance(5 * MINUTE)
  expect(machine.status?.phase).not.toBe('Applied')
  machine.host.faults.network = undefined

  expect(await machine.until('Applied')).toMatchObject({ digest })
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
})

test('agent that starts without an API server takes up what was interrupted, from its checkpoint', async () => {
  const machine = new Machine()
  const digest = machine.assign({ flags: '--v=3' })
  const process = machine.start({ afterEffect: 14 })
  await machine.clock.runUntil(() => process.dead)
  machine.kill()
  machine.host.faults.network = 'lost'
  machine.node.configMaps.clear()
  machine.start()
  await machine.clock.advance(MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${digest}\n`)
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
})

test('agent that starts without an API server leaves a node alone that is as assigned', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  machine.kill()
  machine.host.faults.network = 'lost'
  const before = machine.hostFiles()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.start()
  await machine.clock.advance(20 * MINUTE)

  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test('agent without an API server concludes nothing from a download that fails', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')
  machine.kill()
  const digest = machine.assign({
    version: '1.36.3',
    flags: '--v=4',
    host: JSON.stringify({ kubelet: machine.release('1.36.3') }),
  })
  const process = machine.start({ after: { method: 'append' } })
  await machine.clock.runUntil(() => process.dead)
  machine.kill()
  await machine.host.files.removeTree('/var/lib/nodewave/staging')
  machine.host.faults.network = 'lost'
  machine.start()
  await machine.clock.advance(20 * MINUTE)
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  machine.host.faults.network = undefined

  await machine.untilDigest(digest, 'Applied')
})

test('agent that waits for the API server goes on at once when its watch stands again', async () => {
  const { machine, allow } = forbidden(() => 0.5)
  await machine.clock.advance(64_000)
  allow()
  machine.node.reconnect()
  await machine.until('Applied')

  expect(machine.clock.elapsed()).toBeLessThan(70_000)
})
