/** Units without [Install]: nothing can enable them, and there is nothing to disable. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const NAME = 'later.service'
const PATH = `/etc/systemd/system/${NAME}`
const STATIC = '[Service]\nExecStart=/bin/sleep infinity\n'
const INSTALLABLE = `${STATIC}[Install]\nWantedBy=multi-user.target\n`

const withUnit = (unit: object) => ({ host: JSON.stringify({ units: [{ name: NAME, ...unit }] }) })
const show = (machine: Machine) => machine.host.services.show(NAME)

/** A host with a static unit of its own, which runs. */
async function machineWithStaticUnit(): Promise<Machine> {
  const machine = new Machine()
  machine.host.files.put(PATH, STATIC)
  await machine.host.services.reload()
  await machine.host.services.start(NAME)
  machine.start()
  return machine
}

test('agent takes away a unit of its own that is static', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign(withUnit({ content: STATIC, state: 'running' })), 'Applied')
  expect(await show(machine)).toMatchObject({ isStatic: true, enabled: false, active: 'active' })
  await machine.untilDigest(machine.assign({ flags: '--v=2' }), 'Applied')

  expect(machine.status?.error).toBeUndefined()
  expect(machine.host.files.text(PATH)).toBeUndefined()
})

test.each([true, false])('agent has nothing to do for a static unit with enabled: %j, now or later', async (enabled) => {
  const machine = await machineWithStaticUnit()
  let tries = 0
  for (const verb of ['enable', 'disable'] as const)
    machine.host.services[verb] = async () => {
      tries++
    }
  machine.assign(withUnit({ enabled }))
  await machine.until('Applied')
  await machine.clock.advance(60 * MINUTE)

  expect(machine.status).not.toHaveProperty('drift')
  expect(tries).toBe(0)
})

test('agent enables a unit in the change that gives it an [Install], and leaves it static and not enabled when it gives it back', async () => {
  const machine = await machineWithStaticUnit()
  await machine.untilDigest(machine.assign(withUnit({ content: INSTALLABLE, enabled: true })), 'Applied')
  expect(await show(machine)).toMatchObject({ isStatic: false, enabled: true })
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.text(PATH)).toBe(STATIC)
  expect(await show(machine)).toMatchObject({ isStatic: true, enabled: false })
})

test('agent puts a unit back to static and not enabled when the change that enabled it fails', async () => {
  const machine = await machineWithStaticUnit()
  machine.host.injectCrash(({ args }) => (args.includes('--v=9') ? 'panic: out of luck' : undefined))
  machine.assign({ ...withUnit({ content: INSTALLABLE, enabled: true }), flags: '--v=9' })
  await machine.until('RolledBack')

  expect(machine.host.files.text(PATH)).toBe(STATIC)
  expect(await show(machine)).toMatchObject({ isStatic: true, enabled: false })
})
