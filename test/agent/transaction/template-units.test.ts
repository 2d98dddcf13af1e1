/** `a@.service` is never started itself: its instances are, and they read its file. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const TEMPLATE = { name: 'tiny@.service', content: '[Service]\nExecStart=/bin/sleep infinity\n' }
const CHANGED = { ...TEMPLATE, content: '[Service]\nExecStart=/bin/sleep 1d\n' }
const INSTANCE = { name: 'tiny@a.service', state: 'running' }

const withUnits = (...units: object[]) => ({ host: JSON.stringify({ units }) })

async function machineWith(...units: object[]): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign(withUnits(...units)), 'Applied')
  return machine
}

test('agent writes a template, and starts the instance that Git names', async () => {
  const machine = await machineWith(INSTANCE, TEMPLATE)

  expect(await machine.host.services.show(INSTANCE.name)).toMatchObject({ exists: true, active: 'active' })
})

test.each([
  ['as a unit', withUnits(CHANGED, INSTANCE)],
  [
    'as a file',
    {
      host: JSON.stringify({
        files: [{ path: '/etc/systemd/system/tiny@.service', content: CHANGED.content }],
        units: [INSTANCE],
      }),
    },
  ],
])('agent restarts an instance that Git names when its template changes: %s', async (_, content) => {
  const machine = await machineWith(TEMPLATE, INSTANCE)
  const { mainPid } = await machine.host.services.show(INSTANCE.name)

  await machine.untilDigest(machine.assign(content), 'Applied')

  const after = await machine.host.services.show(INSTANCE.name)
  expect(after.active).toBe('active')
  expect(after.mainPid).not.toBe(mainPid)
})

test('agent stops an instance that Git names when the commit takes it and its template out', async () => {
  const machine = await machineWith(TEMPLATE, INSTANCE)

  machine.annotate(null)
  await machine.until('Reverted')

  expect(await machine.host.services.show(INSTANCE.name)).toMatchObject({ exists: false, active: 'inactive' })
})

test('agent stops an instance without a state when its template goes, and undo starts it again', async () => {
  const machine = await machineWith(TEMPLATE, { name: INSTANCE.name, restartOn: ['/etc/tiny.conf'] })
  await machine.host.services.start(INSTANCE.name)

  machine.assign({ flags: '--container-runtime-endpoint=unix:///not/there.sock' })
  await machine.until('RolledBack')
  expect(await machine.host.services.show(INSTANCE.name)).toMatchObject({ exists: true, active: 'active' })

  await machine.untilDigest(machine.assign(withUnits({ name: INSTANCE.name, restartOn: ['/etc/tiny.conf'] })), 'Applied')
  expect(await machine.host.services.show(INSTANCE.name)).toMatchObject({ exists: false, active: 'inactive' })
})

test('agent changes a plain unit to an instance of a template, and back', async () => {
  const plain = { name: 'tiny.service', content: TEMPLATE.content }
  const machine = await machineWith(plain)
  await machine.host.services.start('tiny.service')

  await machine.untilDigest(machine.assign(withUnits(TEMPLATE, INSTANCE)), 'Applied')
  expect(await machine.host.services.show('tiny.service')).toMatchObject({ exists: false, active: 'inactive' })

  await machine.untilDigest(machine.assign(withUnits({ ...plain, state: 'running' })), 'Applied')
  expect(await machine.host.services.show('tiny.service')).toMatchObject({ active: 'active' })
  expect(await machine.host.services.show(INSTANCE.name)).toMatchObject({ exists: false, active: 'inactive' })
})

test('agent undoes a commit that wants a template to run', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign(withUnits({ ...TEMPLATE, state: 'running' }))

  expect((await machine.until('Applied', 'RolledBack')).error?.message).toContain('tiny@.service is missing the instance name')
})
