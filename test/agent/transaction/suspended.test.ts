import { expect, test } from 'vitest'
import { BOOT_PARAMETERS, machineWithBootParameters, RUNNING, withBootParameters } from '../support/boot-parameters.ts'
import type { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const GRANTED = { GRANT: 'reboot' } as const
const isAwaiting = (machine: Machine) => machine.status?.error?.reason === 'Awaiting'

/** A change that counts under another version of the agent. */
async function suspended(): Promise<{ readonly machine: Machine; readonly digest: string }> {
  const machine = machineWithBootParameters({ awaits: { agent: '2.0.0' } })
  machine.start()
  await machine.clock.advance(5000)
  const digest = machine.assign(withBootParameters('debug'), GRANTED)
  await machine.clock.runUntil(() => isAwaiting(machine))
  return { machine, digest }
}

test('transaction that waits for a version of the agent is neither kept nor undone before, and restarts nothing meanwhile', async () => {
  const { machine } = await suspended()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  for (let times = 0; times < 3; times++) {
    await machine.clock.advance(20 * MINUTE)
    machine.kill()
    machine.start()
  }
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status).toMatchObject({
    phase: 'Applying',
    error: { reason: 'Awaiting', message: 'the change is in place and waits for version 2.0.0 of the agent' },
  })
  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBeUndefined()
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  expect(machine.host.reboots).toBe(0)
})

test.each([
  ['something else is assigned', (machine: Machine) => machine.assign({ flags: '--v=5' }), 'Applied'],
  ['the annotation is removed', (machine: Machine) => machine.annotate(null), 'Reverted'],
] as const)('transaction that is suspended is undone when %s', async (_, change, phase) => {
  const { machine } = await suspended()
  change(machine)
  await machine.until(phase)

  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
})

test('transaction that waits for a version of the agent is resumed by that one, and by no other', async () => {
  const { machine, digest } = await suspended()
  machine.kill()
  machine.start()
  await machine.clock.advance(20 * MINUTE)
  expect(isAwaiting(machine)).toBe(true)
  machine.kill()
  machine.host.files.put(RUNNING, 'debug')
  machine.start({}, { version: '2.0.0' })

  expect(await machine.until('Applied')).toMatchObject({ digest, agent: '2.0.0' })
})
