/** A unit that starts another: systemd refuses to start a socket while its service runs. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const SERVICE = { name: 'tiny.service', content: '[Service]\nExecStart=/bin/cat\nStandardInput=socket\n' }
const SOCKET = { name: 'tiny.socket', content: '[Socket]\nListenStream=7\n' }
const CRASHES = '--container-runtime-endpoint=unix:///not/there.sock'

const withUnits = (...units: object[]) => ({ host: JSON.stringify({ units }) })
const running = (unit: object) => ({ ...unit, state: 'running' })

async function activeOf({ host: { services } }: Machine): Promise<string> {
  return `${(await services.show(SOCKET.name)).active} ${(await services.show(SERVICE.name)).active}`
}

async function machineWith(...units: object[]): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign(withUnits(...units)), 'Applied')
  return machine
}

test.each([
  ['first', [running(SERVICE), running(SOCKET)]],
  ['last', [running(SOCKET), running(SERVICE)]],
])('agent starts a socket and its service when the service is named %s', async (_, units) => {
  expect(await activeOf(await machineWith(...units))).toBe('active active')
})

test.each([
  ['content only', [SERVICE, SOCKET]],
  ['told to run', [running(SERVICE), running(SOCKET)]],
])('agent starts a socket and its service again when the commit that took both out is undone: %s', async (_, units) => {
  const machine = await machineWith(...units)
  await machine.host.services.start(SOCKET.name)
  await machine.host.services.start(SERVICE.name)

  machine.assign({ flags: CRASHES })

  expect((await machine.until('RolledBack', 'Failed')).phase).toBe('RolledBack')
  expect(await activeOf(machine)).toBe('active active')
})

test('agent stops a socket and its service when the commit takes both out', async () => {
  const machine = await machineWith(SERVICE, SOCKET)
  await machine.host.services.start(SOCKET.name)
  await machine.host.services.start(SERVICE.name)

  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')

  expect(await activeOf(machine)).toBe('inactive inactive')
})

test('agent leaves a service running when the commit takes out the timer that started it', async () => {
  const timer = { name: 'tiny.timer', content: '[Timer]\nOnActiveSec=1\n' }
  const machine = await machineWith(SERVICE, timer)
  await machine.host.services.start(timer.name)
  await machine.host.services.start(SERVICE.name)
  const { mainPid } = await machine.host.services.show(SERVICE.name)

  await machine.untilDigest(machine.assign(withUnits(SERVICE)), 'Applied')

  expect((await machine.host.services.show(timer.name)).active).toBe('inactive')
  expect((await machine.host.services.show(SERVICE.name)).mainPid).toBe(mainPid)
})

const PATH_UNIT = { name: 'tiny.path', content: '[Path]\nPathExists=/etc/tiny\n' }

/** As systemd does it while what a path unit waits for is there. */
function triggered({ host: { services } }: Machine): void {
  const stop = services.stop.bind(services)
  services.stop = async (name) => {
    await stop(name)
    if (name === SERVICE.name && (await services.show(PATH_UNIT.name)).active === 'active') await services.start(name)
  }
}

test.each([
  ['taken out', { flags: '--v=3' }],
  ['told to stop', withUnits({ ...SERVICE, state: 'stopped' }, { ...PATH_UNIT, state: 'stopped' })],
])('agent leaves no service running that a path unit started again before that was stopped: %s', async (_, content) => {
  const machine = await machineWith(running(SERVICE), running(PATH_UNIT))
  triggered(machine)

  await machine.untilDigest(machine.assign(content), 'Applied')

  expect((await machine.host.services.show(PATH_UNIT.name)).active).toBe('inactive')
  expect((await machine.host.services.show(SERVICE.name)).active).toBe('inactive')
})

test('agent leaves no service running that a path unit started again while the commit with both is undone', async () => {
  const machine = await machineWith()
  triggered(machine)

  machine.assign({ ...withUnits(running(SERVICE), running(PATH_UNIT)), flags: CRASHES })
  expect((await machine.until('RolledBack', 'Failed')).phase).toBe('RolledBack')

  expect(await machine.host.services.show(SERVICE.name)).toMatchObject({ exists: false, active: 'inactive' })
})
