import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const FILE = '/etc/sysctl.d/99-zz-nodewave.conf'

const content = (sysctls: Readonly<Record<string, string>>, more: object = {}) => ({
  host: JSON.stringify({ sysctls, ...more }),
})

/** A machine on which this was applied, and has passed its trial. */
async function applied(sysctls: Readonly<Record<string, string>>): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  machine.assign(content(sysctls))
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  return machine
}

async function refused(sysctls: Readonly<Record<string, string>>) {
  const machine = new Machine()
  const before = { files: machine.hostFiles(), kernel: machine.host.kernel.snapshot() }
  machine.start()
  machine.assign(content(sysctls))
  const { error } = await machine.until('RolledBack')
  expect({ files: machine.hostFiles(), kernel: machine.host.kernel.snapshot() }).toEqual(before)
  return error
}

test('sysctls are set in the running kernel, and in the file that is read at boot', async () => {
  const machine = await applied({ 'net.ipv4.tcp_rmem': '4096 131072 8388608', 'vm.swappiness': '10' })

  expect(machine.host.kernel.snapshot().sysctls).toMatchObject({
    'net/ipv4/tcp_rmem': '4096\t131072\t8388608',
    'vm/swappiness': '10',
  })
  expect(machine.host.files.text(FILE)).toBe(
    '# Written by nodewave: a change here is overwritten.\nnet.ipv4.tcp_rmem = 4096 131072 8388608\nvm.swappiness = 10\n',
  )
})

test('sysctls are as assigned after a boot, whatever files of others say', async () => {
  const machine = await applied({ 'vm.swappiness': '10' })
  machine.host.files.put('/etc/sysctl.d/99-sysctl.conf', 'vm.swappiness=70\n')
  machine.kill()
  machine.host.powerOff()
  machine.host.powerOn()

  expect(await machine.host.kernel.readSysctl('vm/swappiness')).toBe('10')
})

test('a sysctl that is not named any more is as before, and the others stay', async () => {
  const machine = await applied({ 'fs.inotify.max_user_watches': '524288', 'vm.swappiness': '10' })
  await machine.untilDigest(machine.assign(content({ 'fs.inotify.max_user_watches': '524288' })), 'Applied')

  expect(machine.host.kernel.snapshot().sysctls).toMatchObject({
    'fs/inotify/max_user_watches': '524288',
    'vm/swappiness': '60',
  })
  expect(machine.host.files.text(FILE)).not.toContain('swappiness')
})

test('a sysctl is given back though the kernel takes its former value only by the one that excludes it', async () => {
  const machine = await applied({ 'vm.dirty_bytes': '268435456' })
  expect(machine.host.kernel.snapshot().sysctls).toMatchObject({ 'vm/dirty_bytes': '268435456', 'vm/dirty_ratio': '0' })
  await machine.untilDigest(machine.assign(content({ 'vm.swappiness': '10' })), 'Applied')

  expect(machine.host.kernel.snapshot().sysctls).toMatchObject({ 'vm/dirty_bytes': '0', 'vm/dirty_ratio': '20' })
})

test.each([
  ['vm.dirty_bytes', '268435456', 'vm.dirty_ratio', '10'],
  ['vm.dirty_ratio', '10', 'vm.dirty_bytes', '268435456'],
])('a sysctl "%s" gives way to the one that excludes it', async (name, value, other, wanted) => {
  const machine = await applied({ [name]: value })
  await machine.untilDigest(machine.assign(content({ [other]: wanted })), 'Applied')
  const path = (of: string): string => of.replaceAll('.', '/')

  expect(machine.host.kernel.snapshot().sysctls).toMatchObject({ [path(name)]: '0', [path(other)]: wanted })
})

test('a sysctl needs a grant to restart, since the running kernel takes it at once', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign(content({ 'vm.swappiness': '10' }), { GRANT: 'none' })

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'restart' })
  expect(await machine.host.kernel.readSysctl('vm/swappiness')).toBe('60')
})

test('a sysctl that somebody changes by hand is set again, and nothing is restarted', async () => {
  const machine = await applied({ 'vm.swappiness': '10' })
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.host.kernel.set('vm/swappiness', '60')
  await machine.clock.advance(6 * MINUTE)

  expect(await machine.host.kernel.readSysctl('vm/swappiness')).toBe('10')
  expect(machine.status?.drift ?? []).toEqual([])
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test('a sysctl that was changed by hand is given back as it was before nodewave', async () => {
  const machine = await applied({ 'vm.swappiness': '10' })
  machine.host.kernel.set('vm/swappiness', '90')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await machine.host.kernel.readSysctl('vm/swappiness')).toBe('60')
})

test.each<[string, string, string[]]>([
  ['a later file that sets another value', 'vm.swappiness = 70', ['/etc/sysctl.d/99-zzz.conf: vm.swappiness']],
  ['the same by a path', '-vm/swappiness=70', ['/etc/sysctl.d/99-zzz.conf: vm.swappiness']],
  ['the same value', 'vm.swappiness=10', []],
  ['a comment', '# vm.swappiness=70', []],
  ['another setting', 'vm.overcommit_ratio=70', []],
])('drift names %s as it will be after a boot', async (_, line, expected) => {
  const machine = await applied({ 'vm.swappiness': '10' })
  machine.host.files.put('/etc/sysctl.d/99-zzz.conf', `${line}\n`)
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift ?? []).toEqual(expected)
})

test('drift does not name a later file that one of the same name hides', async () => {
  const machine = await applied({ 'vm.swappiness': '10' })
  machine.host.files.put('/usr/lib/sysctl.d/99-zzz.conf', 'vm.swappiness=70\n')
  machine.host.files.put('/etc/sysctl.d/99-zzz.conf', '# nothing\n')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift ?? []).toEqual([])
})

test.each<[string, string, string, string, string]>([
  [
    'a name that the kernel does not have',
    'net.ipv4.ip_forwarding',
    '1',
    'SysctlUnknown',
    'kernel 6.1.0-18-amd64 has no such setting; correct the name, or list the module that brings it under kernelModules',
  ],
  ['a value that the kernel refuses', 'vm.swappiness', '201', 'SysctlRefused', 'the kernel refuses it: EINVAL'],
  [
    'a value that the kernel makes another of',
    'vm.nr_hugepages',
    '1024',
    'SysctlRefused',
    'set sysctl "vm.nr_hugepages" to "1024": the kernel made "64" of it; name what it can be',
  ],
  ['fewer values than there are', 'net.ipv4.tcp_rmem', '8192', 'SysctlRefused', 'the kernel made "8192 131072 6291456" of it'],
  ['a setting that the unit of an older agent hides', 'dev.cdrom.lock', '0', 'SysctlRefused', 'install the unit of this release'],
  ['a setting that nobody may write', 'kernel.ostype', 'BSD', 'SysctlRefused', 'the kernel refuses it: EACCES'],
  ['a value that stops pods from reaching anybody', 'net.ipv4.ip_forward', '0', 'SysctlRefused', 'reach nobody beyond it'],
  ['a value that the kubelet sets otherwise', 'kernel.panic', '0', 'SysctlRefused', 'the kubelet sets it to 10'],
  ['what is no setting', 'net.ipv4.route.flush', '1', 'SysctlRefused', 'it starts something once'],
  ['what no undo could take back', 'kernel.modules_disabled', '1', 'SysctlRefused', 'only with a boot'],
])('%s is refused, and leaves the host as it was', async (_, name, value, reason, message) => {
  const error = await refused({ 'vm.swappiness': '10', [name]: value })

  expect(error?.reason).toBe(reason)
  expect(error?.message).toContain(message)
})

test('a sysctl that something else sets back at once does not prove itself', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign(content({ 'vm.swappiness': '10' }))
  await machine.clock.runUntil(() => machine.host.kernel.snapshot().sysctls['vm/swappiness'] === '10')
  machine.host.kernel.set('vm/swappiness', '60')

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'HealthCheckFailed',
    message: 'failed to validate config: sysctl "vm.swappiness" is "60", not "10": something else on the host sets it',
  })
})

test.each([
  ['more than one line', { 'vm.swappiness': '10\nkernel.panic=0' }],
  ['a pattern', { 'net.ipv4.conf.*.rp_filter': '1' }],
  ['a path that leads elsewhere', { '../kernel.panic': '1' }],
])('a host document with %s as a sysctl is refused', async (_, sysctls) => {
  expect((await refused(sysctls))?.reason).toBe('MalformedHostDocument')
})

test('one setting under two names is refused', async () => {
  expect(await refused({ 'vm.swappiness': '10', 'vm/swappiness': '20' })).toMatchObject({ reason: 'PathClaimedTwice' })
})
