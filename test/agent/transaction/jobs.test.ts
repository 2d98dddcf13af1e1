/** Units that work and are done, such as a backup that a timer starts: a commit may come while one runs. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const NAME = 'backup.service'
const jobOf = (what: string) => ({ name: NAME, content: `[Service]\nType=oneshot\nExecStart=/bin/${what}\n` })
const withUnits = (...units: object[]) => ({ host: JSON.stringify({ units }) })
const show = (machine: Machine) => machine.host.services.show(NAME)

async function machineWithJob(): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign(withUnits(jobOf('one'))), 'Applied')
  await machine.host.services.start(NAME)
  return machine
}

test('agent lets a job end whose file the commit changes, and does not wait for it to run', async () => {
  const machine = await machineWithJob()
  const { mainPid } = await show(machine)

  await machine.untilDigest(machine.assign(withUnits(jobOf('two'))), 'Applied')

  expect(await show(machine)).toMatchObject({ active: 'activating', mainPid })
  await machine.clock.advance(60_000)
  expect(await show(machine)).toMatchObject({ active: 'inactive' })
  expect(machine.status?.phase).toBe('Applied')
})

test('agent stops a job whose file the commit takes away', async () => {
  const machine = await machineWithJob()

  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')

  expect(await show(machine)).toMatchObject({ exists: false, active: 'inactive' })
})

test('agent does not start a job again that it stopped when the commit that took it away is undone', async () => {
  const machine = await machineWithJob()

  machine.assign({ flags: '--container-runtime-endpoint=unix:///not/there.sock' })

  expect((await machine.until('Applied', 'RolledBack', 'Failed')).phase).toBe('RolledBack')
  expect(await show(machine)).toMatchObject({ exists: true, active: 'inactive' })
})

test('agent is done with an undo although the job that ran before has ended', async () => {
  const machine = await machineWithJob()

  machine.assign({ ...withUnits(jobOf('two')), flags: '--container-runtime-endpoint=unix:///not/there.sock' })

  expect((await machine.until('Applied', 'RolledBack', 'Failed')).phase).toBe('RolledBack')
})
