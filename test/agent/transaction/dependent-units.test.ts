/** Units of others that systemd stops together with one of ours. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const THEIRS = 'theirs.service'
const SERVICE = { name: 'tiny.service', content: '[Service]\nExecStart=/bin/cat\nStandardInput=socket\n' }
const SOCKET = { name: 'tiny.socket', content: '[Socket]\nListenStream=7\n' }
const OTHER_SOCKET = { name: 'tiny.socket', content: '[Socket]\nListenStream=8\n' }
const CRASHES = '--container-runtime-endpoint=unix:///not/there.sock'

const withUnits = (...units: object[]) => ({ host: JSON.stringify({ units }) })
const activeOf = async ({ host }: Machine, name: string) => (await host.services.show(name)).active

/** What requires the socket runs, as the socket and its service do. */
async function machineWith(required: string): Promise<Machine> {
  const machine = new Machine()
  const { files, services } = machine.host
  files.put(`/etc/systemd/system/${THEIRS}`, `[Unit]\nRequires=${required}\n[Service]\nExecStart=/bin/cat\n`)
  machine.start()
  await machine.untilDigest(machine.assign(withUnits(SERVICE, SOCKET)), 'Applied')
  for (const name of [SOCKET.name, SERVICE.name, THEIRS]) await services.start(name)
  return machine
}

/** As the adapter of systemd restarts a socket, whose service must not run meanwhile. */
function restartsSockets({ host: { services } }: Machine, between = async (): Promise<void> => {}): void {
  const restart = services.restart.bind(services)
  services.restart = async (name) => {
    const isBusy = name === SOCKET.name && (await services.show(SERVICE.name)).active === 'active'
    if (isBusy) await services.stop(SERVICE.name)
    if (isBusy) await between()
    await restart(name)
    if (isBusy) await services.start(SERVICE.name)
  }
}

test.each([SOCKET.name, SERVICE.name])('agent that restarts a socket leaves what requires %s running', async (required) => {
  const machine = await machineWith(required)
  restartsSockets(machine)

  await machine.untilDigest(machine.assign(withUnits(SERVICE, OTHER_SOCKET)), 'Applied')

  expect(await activeOf(machine, SERVICE.name)).toBe('active')
  expect(await activeOf(machine, THEIRS)).toBe('active')
})

test.each([SOCKET.name, SERVICE.name])(
  'agent that undoes a commit without socket and service starts again what requires %s',
  async (required) => {
    const machine = await machineWith(required)
    restartsSockets(machine)

    machine.assign({ flags: CRASHES })

    expect((await machine.until('RolledBack', 'Failed')).phase).toBe('RolledBack')
    expect(await activeOf(machine, THEIRS)).toBe('active')
  },
)

test('agent that is killed between the stop of a service and the restart of its socket starts both again', async () => {
  const machine = await machineWith(SOCKET.name)
  const { services } = machine.host
  const { restart } = services
  let isKilled = false
  restartsSockets(machine, async () => {
    isKilled = true
    services.restart = restart
    machine.kill()
    await new Promise(() => {})
  })
  const digest = machine.assign(withUnits(SERVICE, OTHER_SOCKET))
  await machine.clock.runUntil(() => isKilled)
  expect(await activeOf(machine, SERVICE.name)).toBe('inactive')

  machine.start()
  await machine.untilDigest(digest, 'Applied')

  expect(await activeOf(machine, SOCKET.name)).toBe('active')
  expect(await activeOf(machine, SERVICE.name)).toBe('active')
})

test('agent leaves alone what requires a unit and did not run', async () => {
  const machine = await machineWith(SERVICE.name)
  await machine.host.services.stop(THEIRS)
  restartsSockets(machine)

  await machine.untilDigest(machine.assign(withUnits(SERVICE, OTHER_SOCKET)), 'Applied')

  expect(await activeOf(machine, THEIRS)).toBe('inactive')
})

test('agent takes a unit out although something that runs requires it', async () => {
  const machine = await machineWith(SERVICE.name)

  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')

  expect(await activeOf(machine, SERVICE.name)).toBe('inactive')
  expect(await activeOf(machine, THEIRS)).toBe('inactive')
})
