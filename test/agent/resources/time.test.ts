import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const FILE = '/etc/systemd/timesyncd.conf.d/50-nodewave.conf'
const UNIT = 'systemd-timesyncd.service'
const CHRONY = '/etc/systemd/system/multi-user.target.wants/chrony.service'
const NTP = { servers: ['ntp1.example.com', '192.0.2.1'], fallbackServers: ['pool.ntp.org'] }

function machineWith(...units: string[]): Machine {
  return new Machine({ units: ['containerd.service', ...units] })
}

const content = (time: object, more: object = {}) => ({ host: JSON.stringify({ time, ...more }) })

test('time is kept by systemd-timesyncd with the servers that are named, and is given back', async () => {
  const machine = machineWith(UNIT)
  await machine.host.services.stop(UNIT)
  await machine.host.services.disable(UNIT)
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content({ ntp: NTP }))
  await machine.until('Applied')

  expect(machine.host.files.text(FILE)).toBe(
    '# Written by nodewave: a change here is overwritten.\n[Time]\nNTP=\nNTP=ntp1.example.com 192.0.2.1\nFallbackNTP=pool.ntp.org\n',
  )
  expect(await machine.host.services.show(UNIT)).toMatchObject({ active: 'active', enabled: true })
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.hostFiles()).toEqual(before)
  expect(await machine.host.services.show(UNIT)).toMatchObject({ active: 'inactive', enabled: false })
})

test('systemd-timesyncd restarts when its servers change', async () => {
  const machine = machineWith(UNIT)
  machine.start()
  await machine.untilDigest(machine.assign(content({ ntp: NTP })), 'Applied')
  const { mainPid } = await machine.host.services.show(UNIT)
  await machine.untilDigest(machine.assign(content({ ntp: { servers: ['ntp2.example.com'] } })), 'Applied')

  expect((await machine.host.services.show(UNIT)).mainPid).not.toBe(mainPid)
})

test('the time zone is a link to the database, and is given back', async () => {
  const machine = machineWith()
  await machine.host.files.link('/etc/localtime', '/usr/share/zoneinfo/Etc/UTC')
  machine.start()
  machine.assign(content({ zone: 'Europe/Berlin' }), { GRANT: 'none' })
  await machine.until('Applied')
  expect(await machine.host.files.readLink('/etc/localtime')).toBe('/usr/share/zoneinfo/Europe/Berlin')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await machine.host.files.readLink('/etc/localtime')).toBe('/usr/share/zoneinfo/Etc/UTC')
})

test('a host on which another program sets the clock is left as it is, and the program is named', async () => {
  const machine = machineWith(UNIT, 'chrony.service')
  await machine.host.files.link(CHRONY, '/lib/systemd/system/chrony.service')
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content({ ntp: NTP }))

  const { error } = await machine.until('RolledBack')
  expect(error?.reason).toBe('OtherTimeService')
  expect(error?.message).toContain('chrony.service is enabled and sets the same clock; name it under units with enabled: false')
  expect(machine.hostFiles()).toEqual(before)
})

test('another program that somebody enables later is reported as drift, as long as it is', async () => {
  const machine = machineWith(UNIT)
  machine.start()
  machine.assign(content({ ntp: NTP }))
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.host.files.link(CHRONY, '/lib/systemd/system/chrony.service')
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status?.drift).toEqual([`${CHRONY}: time.ntp`])
  await machine.host.files.remove(CHRONY)
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift ?? []).toEqual([])
})

test.each([
  ['more than one line', { ntp: { servers: ['a\nb'] } }],
  ['a path', { zone: '../../../etc/passwd' }],
  ['a field that nobody knows', { clock: 'x' }],
])('a host document with %s as time is refused', async (_, time) => {
  const machine = machineWith(UNIT)
  machine.start()
  machine.assign(content(time))

  expect((await machine.until('RolledBack')).error?.reason).toBe('MalformedHostDocument')
})
