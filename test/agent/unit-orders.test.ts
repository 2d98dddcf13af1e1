import { expect, test } from 'vitest'
import { type AgentPorts, ServiceCallKilled } from '../../src/agent/ports.ts'
import { startUnit, stopUnit } from '../../src/agent/unit-orders.ts'
import { Machine } from './support/machine.ts'

const NAME = 'containerd.service'

/** A host on which every order fails like this, and the unit says these words. */
function refusing(error: Error, ...words: string[]): Pick<AgentPorts, 'services' | 'clock'> {
  const { host, clock } = new Machine()
  const fail = async () => Promise.reject(error)
  return { clock, services: Object.assign(host.services, { start: fail, stop: fail, lastWords: async () => words }) }
}

test('unit that does not stop is named with what it said, without what systemd says of it', async () => {
  const ports = refusing(
    new Error('systemctl stop: exit 1: Job failed.'),
    'Unmounting srv-shelf.mount - /srv/shelf...',
    'umount: /srv/shelf: target is busy.',
    'srv-shelf.mount: Mount process exited, code=exited, status=32/n/a',
    'Failed unmounting srv-shelf.mount - /srv/shelf.',
  )

  await expect(stopUnit(NAME, ports)).rejects.toMatchObject({
    reason: 'UnitNotStopped',
    message: expect.stringContaining(`${NAME} did not stop: umount: /srv/shelf: target is busy.`),
  })
})

test('unit that does not start is named with what it said', async () => {
  await expect(startUnit(NAME, 'start', refusing(new Error('exit 1'), 'panic: out of luck'))).rejects.toMatchObject({
    reason: 'UnitNotStarted',
    message: expect.stringContaining(`${NAME} did not start: out of luck`),
  })
})

test('unit that says nothing is named with what the service manager said', async () => {
  await expect(stopUnit(NAME, refusing(new Error('exit 1: Job failed.')))).rejects.toThrow('exit 1: Job failed.')
})

test('order whose program was killed says nothing of the unit', async () => {
  const killed = new ServiceCallKilled('systemctl stop was killed')
  await expect(stopUnit(NAME, refusing(killed, 'panic: out of luck'))).rejects.toBe(killed)
})

test('unit that ended by itself while it was to be stopped is stopped', async () => {
  const ports = refusing(new Error(`systemctl stop ${NAME}: exit 5: Unit ${NAME} not loaded.`))
  ports.services.show = async () => ({ ...(await new Machine().host.services.show('nobody.service')), active: 'inactive' })

  await expect(stopUnit(NAME, ports)).resolves.toBeUndefined()
})
