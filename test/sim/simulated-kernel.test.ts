import { expect, test } from 'vitest'
import { MemoryFiles } from '../../src/sim/host/memory-files.ts'
import { SimulatedKernel } from '../../src/sim/host/simulated-kernel.ts'

function machine() {
  const files = new MemoryFiles()
  return { files, kernel: new SimulatedKernel(files) }
}

test('simulated kernel shows numbers with tabs between, and keeps those that nobody wrote', async () => {
  const { kernel } = machine()
  await kernel.writeSysctl('net/ipv4/tcp_rmem', '8192 262144')

  expect(await kernel.readSysctl('net/ipv4/tcp_rmem')).toBe('8192\t262144\t6291456')
})

test.each([
  ['a setting that it does not have', 'vm/nothing', '1', 'ENOENT'],
  ['one that nobody may write', 'kernel/ostype', 'BSD', 'EACCES'],
  ['a text where a number has to be', 'net/ipv4/ip_forward', 'yes', 'EINVAL'],
  ['more numbers than there are', 'net/ipv4/ip_forward', '1 1', 'EINVAL'],
  ['a number out of range', 'vm/swappiness', '201', 'EINVAL'],
])('simulated kernel refuses %s', async (_, path, value, code) => {
  const { kernel } = machine()
  const before = kernel.snapshot()

  await expect(kernel.writeSysctl(path, value)).rejects.toMatchObject({ code })
  expect(kernel.snapshot()).toEqual(before)
})

test('simulated kernel takes fewer huge pages than there is memory for, and says nothing', async () => {
  const { kernel } = machine()
  await kernel.writeSysctl('vm/nr_hugepages', '1024')

  expect(await kernel.readSysctl('vm/nr_hugepages')).toBe('64')
})

test('simulated kernel has the settings of a module as long as it is loaded', async () => {
  const { kernel } = machine()
  const path = 'net/bridge/bridge-nf-call-iptables'
  expect(await kernel.readSysctl(path)).toBeUndefined()
  await kernel.loadModule('br_netfilter')
  expect(await kernel.readSysctl(path)).toBe('1')
  await kernel.unloadModule('br_netfilter')
  expect(await kernel.readSysctl(path)).toBeUndefined()
})

test('simulated kernel unloads no module that is in use, and loads none that it does not have', async () => {
  const { kernel } = machine()
  await kernel.loadModule('nf_conntrack')

  await expect(kernel.unloadModule('nf_conntrack')).rejects.toThrow('is in use')
  await expect(kernel.loadModule('no_such')).rejects.toThrow('not found in directory /lib/modules/6.1.0-18-amd64')
})

test('simulated kernel has after a boot what the files say, the last one by name, and nothing else', async () => {
  const { files, kernel } = machine()
  files.put('/etc/modules-load.d/a.conf', '# comment\nbr_netfilter\n')
  files.put('/usr/lib/sysctl.d/50-b.conf', 'vm.swappiness = 10\nnet.bridge.bridge-nf-call-iptables=0\n')
  files.put('/etc/sysctl.d/10-a.conf', 'vm.swappiness=5\n')
  files.put('/etc/fstab', '/dev/sda1 / ext4 defaults 0 1\n/dev/sda2 none swap sw 0 0\n# /dev/sda3 none swap sw 0 0\n')
  await kernel.writeSysctl('kernel/panic', '0')
  await kernel.loadModule('ip_vs')
  kernel.boot()

  expect(kernel.snapshot()).toMatchObject({
    sysctls: { 'vm/swappiness': '10', 'kernel/panic': '10', 'net/bridge/bridge-nf-call-iptables': '0' },
    modules: ['br_netfilter'],
    swaps: [{ path: '/dev/sda2', priority: -2 }],
  })
})
