import { expect, test } from 'vitest'
import type { HostDocument } from '../../../src/protocol/host-document.ts'
import { Machine } from '../support/machine.ts'

async function refusal(document: HostDocument, serviceManager: 'openrc' | 'runit' | 'sysvinit' = 'openrc') {
  const machine = new Machine({ serviceManager })
  const before = machine.hostFiles()
  machine.start()
  machine.assign({ host: JSON.stringify(document) })
  const { error } = await machine.until('RolledBack', 'Applied')
  expect(machine.hostFiles()).toEqual(before)
  return error
}

const OPENRC = 'failed to validate config: '

test.each<[string, HostDocument, string]>([
  [
    'content',
    { units: [{ name: 'a.service', content: '[Service]\n' }] },
    'apply "content" of "a.service": the host is run by OpenRC, which has no unit files; write its script "/etc/init.d/a" under files, with mode "0755"',
  ],
  [
    'drop-ins',
    { units: [{ name: 'a.service', dropIns: { '10-a.conf': '[Service]\n' } }] },
    'apply "dropIns" of "a.service": the host is run by OpenRC, which has no drop-ins; write the settings that its script reads under files',
  ],
  [
    'masks',
    { units: [{ name: 'a.service', masked: true }] },
    'apply "masked" of "a.service": the host is run by OpenRC, which has no masks; write "enabled: false" and "state: stopped"',
  ],
  [
    'mounts',
    { units: [{ name: 'data.mount', enabled: true }] },
    'apply "data.mount": the host is run by OpenRC, which has no units of type "mount"; write it into /etc/fstab',
  ],
  [
    'timers',
    { units: [{ name: 'a.timer', enabled: true }] },
    'apply "a.timer": the host is run by OpenRC, which has no units of type "timer"; write a file below /etc/cron.d',
  ],
  [
    'time.ntp',
    { time: { ntp: { servers: ['ntp.test'] } } },
    'apply "time.ntp": the host is run by OpenRC, which has no systemd-timesyncd; configure its own time service by files and units',
  ],
  [
    'unit files',
    { files: [{ path: '/etc/systemd/system/a.service', content: 'x' }] },
    'write "/etc/systemd/system/a.service": the host is run by OpenRC, which has no unit files; write the script of its service',
  ],
])('a host without systemd refuses %s by name, with a remedy, and stays as it is', async (_, document, message) => {
  expect(await refusal(document)).toEqual({ reason: 'UnitNotSupported', message: `${OPENRC}${message}` })
})

test('a host of runit names its own place for scripts', async () => {
  expect((await refusal({ units: [{ name: 'a.service', content: '[Service]\n' }] }, 'runit'))?.message).toContain(
    'the host is run by runit, which has no unit files; write its script "/etc/sv/a/run"',
  )
})

test('services of a host without systemd are enabled and run, and restart on their scripts', async () => {
  const machine = new Machine({ serviceManager: 'openrc', units: ['containerd.service', 'a.service'] })
  machine.start()
  const script = { path: '/etc/init.d/a', content: '#!/sbin/openrc-run\n', mode: '0755' }
  machine.assign({ host: JSON.stringify({ files: [script], units: [{ name: 'a.service', enabled: true, state: 'running' }] }) })
  const { mainPid } = await machine.host.services.show('a.service')
  await machine.until('Applied')

  expect((await machine.host.services.show('a.service')).mainPid).not.toBe(mainPid)
})

test('a unit of a host without systemd may have an empty list of drop-ins', async () => {
  const machine = new Machine({ serviceManager: 'openrc', units: ['a.service'] })
  machine.start()
  machine.assign({ host: JSON.stringify({ units: [{ name: 'a.service', enabled: true, dropIns: {} }] }) })

  expect((await machine.until('Applied', 'RolledBack')).phase).toBe('Applied')
})

test('swap is off without a file for units of systemd where there is none', async () => {
  const machine = new Machine({ serviceManager: 'sysvinit' })
  machine.start()
  machine.assign({ host: JSON.stringify({ swap: 'off' }) })
  await machine.until('Applied')

  expect(Object.keys(machine.hostFiles()).filter((path) => path.startsWith('/etc/systemd/system/swap'))).toEqual([])
})
