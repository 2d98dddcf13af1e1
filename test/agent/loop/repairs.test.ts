import { expect, test } from 'vitest'
import { Repairs } from '../../../src/agent/loop/repairs.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000

async function applied(host: object): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify(host) })
  await machine.until('Applied')
  return machine
}

test('drift that does not stay repaired is tried again after pauses that double, up to an hour', () => {
  const repairs = new Repairs(5 * MINUTE)
  const tried = Array.from({ length: 60 }, (_, look) => 5 * look).filter(
    (minute) => repairs.sort(['/etc/motd'], minute * MINUTE).due.length > 0,
  )

  expect(tried).toEqual([0, 5, 15, 35, 75, 135, 195, 255])
})

test('drift is stubborn from its second look on, and forgotten when it has stayed repaired', () => {
  const repairs = new Repairs(5 * MINUTE)

  expect(repairs.sort(['/a', '/b'], 0)).toEqual({ due: ['/a', '/b'], stubborn: [] })
  expect(repairs.sort(['/b'], 5 * MINUTE)).toEqual({ due: ['/b'], stubborn: ['/b'] })
  expect(repairs.sort(['/a', '/b'], 10 * MINUTE)).toEqual({ due: ['/a'], stubborn: ['/b'] })
})

const ONLY_A = { among: (subject: string) => subject === '/a' }

test('look at a part says nothing of what it did not compare: that stays stubborn', () => {
  const repairs = new Repairs(5 * MINUTE)
  repairs.sort(['/a', '/b'], 0)
  repairs.done(['/b'])

  expect(repairs.sort([], MINUTE, ONLY_A)).toEqual({ due: [], stubborn: [] })
  expect(repairs.sort(['/a', '/b'], 2 * MINUTE)).toEqual({ due: ['/a'], stubborn: ['/b'] })
})

test('what somebody has changed again after a repair that came about is repaired at once', () => {
  const repairs = new Repairs(5 * MINUTE)
  repairs.sort(['/a'], 0)
  repairs.done(['/a'])

  expect(repairs.sort(['/a'], 1000, ONLY_A)).toEqual({ due: ['/a'], stubborn: [] })
})

test('what could not be repaired is not tried again at once because somebody has changed it', () => {
  const repairs = new Repairs(5 * MINUTE)
  repairs.sort(['/a'], 0)

  expect(repairs.sort(['/a'], 1000, ONLY_A)).toEqual({ due: [], stubborn: ['/a'] })
})

test('agent reports a file that it cannot repair, and reports when it is repaired at last', async () => {
  const machine = await applied({ files: [{ path: '/etc/motd', content: 'hello\n' }] })
  await machine.clock.advance(11 * MINUTE)
  const write = machine.host.files.writeAtomic.bind(machine.host.files)
  machine.host.files.put('/etc/motd', 'hacked\n')
  machine.host.files.writeAtomic = async (path, bytes, options) => {
    if (path === '/etc/motd') throw new Error('EROFS: read-only file system')
    return write(path, bytes, options)
  }
  await machine.clock.advance(11 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Applied', drift: ['/etc/motd'] })
  machine.host.files.writeAtomic = write
  await machine.clock.advance(60 * MINUTE)

  expect(machine.host.files.text('/etc/motd')).toBe('hello\n')
  expect(machine.status).not.toHaveProperty('drift')
})

test('agent reports a unit that does not start any more, and does not start it every five minutes', async () => {
  const machine = await applied({ units: [{ name: 'containerd.service', state: 'running' }] })
  await machine.clock.advance(11 * MINUTE)
  await machine.host.services.stop('containerd.service')
  let starts = 0
  machine.host.services.start = async () => {
    starts++
    throw new Error('systemctl start containerd.service: exit 1')
  }
  await machine.clock.advance(24 * 60 * MINUTE)

  expect(machine.status?.drift).toEqual(['containerd.service'])
  expect(starts).toBeLessThan(30)
})

test('agent refuses to disable a unit that stays enabled, as one that is enabled below /run does, and does not try it again', async () => {
  const machine = new Machine()
  machine.start()
  let tries = 0
  machine.host.services.disable = async () => {
    tries++
  }
  machine.assign({ host: JSON.stringify({ units: [{ name: 'containerd.service', enabled: false }] }) })
  const status = await machine.until('Applied', 'RolledBack', 'Failed')
  await machine.clock.advance(24 * 60 * MINUTE)

  expect(status).toMatchObject({ phase: 'RolledBack', error: { reason: 'UnitNotDisabled' } })
  expect(status.error?.message).toContain('disable "containerd.service": it is still enabled')
  expect(tries).toBe(1)
})

test('agent refuses a unit that ends as soon as it is started, as a oneshot does that does not remain, and does not start it again', async () => {
  const machine = new Machine({ units: ['job.service'] })
  const { services } = machine.host
  let starts = 0
  services.start = async () => {
    starts++
  }
  await services.stop('job.service')
  machine.start()
  machine.assign({ host: JSON.stringify({ units: [{ name: 'job.service', state: 'running' }] }) })
  const status = await machine.until('Applied', 'RolledBack', 'Failed')
  await machine.clock.advance(24 * 60 * MINUTE)

  expect(status).toMatchObject({ phase: 'RolledBack', error: { reason: 'HealthCheckFailed' } })
  expect(status.error?.message).toContain('job.service is inactive')
  expect(starts).toBe(1)
})

test('agent goes on watching when a repair could neither be done nor put back', async () => {
  const machine = await applied({
    files: [
      { path: '/srv/a', content: 'a\n' },
      { path: '/etc/motd', content: 'hello\n' },
    ],
  })
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put('/srv/a', 'hacked\n')
  machine.host.files.put('/etc/motd', 'hacked\n')
  const { files } = machine.host
  const write = files.writeAtomic.bind(files)
  files.writeAtomic = async (path, bytes, options) => {
    if (path === '/etc/motd') throw new Error('EROFS: read-only file system')
    return write(path, bytes, options)
  }
  files.restore = async () => {
    throw new Error('EIO: i/o error')
  }
  await machine.clock.advance(11 * MINUTE)
  expect(machine.status?.drift).toEqual(['/etc/motd'])
  files.writeAtomic = write
  await machine.clock.advance(60 * MINUTE)

  expect(files.text('/etc/motd')).toBe('hello\n')
  expect(machine.status).not.toHaveProperty('drift')
})
