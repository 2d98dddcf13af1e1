import { expect, test } from 'vitest'
import { failsOnCgroupV1 } from '../../../src/protocol/cgroup-version.ts'
import { splitFlagString } from '../../../src/protocol/flag-string.ts'
import { Machine } from '../support/machine.ts'

function machineWithCgroupV1(version: string): Machine {
  const machine = new Machine({ version })
  machine.host.kernel.cgroup = 'v1'
  machine.start()
  return machine
}

const refused = {
  reason: 'CgroupV1',
  message:
    'failed to validate config: start kubelet v1.36.3: this host has cgroup v1, on which it ends at once; set "failCgroupV1: false" in its configuration, or boot with "systemd.unified_cgroup_hierarchy=1" by a commit before this one',
}

test('agent refuses a kubelet that does not start with cgroup v1, and disturbs nothing', async () => {
  const machine = machineWithCgroupV1('1.34.2')
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const before = machine.hostFiles()
  machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })

  expect((await machine.until('RolledBack')).error).toEqual(refused)
  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  expect(machine.status?.cgroup).toBe('v1')
})

test.each([
  ['by its configuration', { config: 'failCgroupV1: false\n' }, {}],
  ['by a flag', { flags: '--fail-cgroupv1=false' }, {}],
  [
    'by the configuration that the host had',
    { config: 'maxPods: 51\n' },
    { '/var/lib/kubelet/config.yaml': 'failCgroupV1: false\n' },
  ],
  [
    'by a file behind --config-dir',
    { flags: '--config-dir=/etc/kubernetes/kubelet.conf.d' },
    { '/etc/kubernetes/kubelet.conf.d/10-host.conf': 'failCgroupV1: false\n' },
  ],
])('agent upgrades a kubelet that bears cgroup v1 %s', async (_, content, files) => {
  const machine = machineWithCgroupV1('1.34.2')
  for (const [path, text] of Object.entries(files)) machine.host.files.put(path, text)
  const host = JSON.stringify({ kubelet: machine.release('1.36.3') })
  const digest = machine.assign({ version: '1.36.3', host, ...content })

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})

test('agent of a host with cgroup v2 says nothing of it, and upgrades the kubelet', async () => {
  const machine = new Machine({ version: '1.34.2' })
  machine.start()
  const digest = machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('cgroup')
})

test('agent applies with cgroup v1 what restarts no kubelet', async () => {
  const machine = machineWithCgroupV1('1.36.3')
  const digest = machine.assign({ host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'hi\n' }] }) })

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})

test.each([
  ['v1.34.2', '', {}, false],
  ['v1.34.2', '', { failCgroupV1: true }, true],
  ['v1.34.2', '--fail-cgroupv1', { failCgroupV1: false }, true],
  ['v1.35.0', '', {}, true],
  ['1.35.0', '--fail_cgroupv1=f --v=2', {}, false],
  ['v1.36.3', '--fail-cgroupv1=true --fail-cgroupv1=false', { failCgroupV1: true }, false],
  ['v1.36.3', '', { failCgroupV1: false }, false],
])('kubelet %s with flags %j and configuration %j: fails is %s', (version, flags, document, expected) => {
  expect(failsOnCgroupV1({ version, args: splitFlagString(flags), document })).toBe(expected)
})
