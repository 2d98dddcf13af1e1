import { existsSync } from 'node:fs'
import { release } from 'node:os'
import { expect, test } from 'vitest'
import { cgroupVersionAt, parseBuiltIn, parseSwaps, procKernel, startOf } from '../../../src/agent/adapters/proc-kernel.ts'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'

/** Programs that answer with this, and what was run. */
function answering(answer: Partial<Outcome> = {}) {
  const ran: string[] = []
  const run = async (program: string, args: readonly string[]): Promise<Outcome> => {
    ran.push([program, ...args].join(' '))
    return { code: 0, stdout: '', stderr: '', timedOut: false, ...answer }
  }
  return { kernel: procKernel(run), ran }
}

const { kernel: real } = answering()

test('procKernel reads a setting of the running kernel without the end of its line', async () => {
  expect(await real.readSysctl('kernel/ostype')).toBe('Linux')
  expect(await real.readSysctl('kernel/osrelease')).toBe(await real.release())
})

test('procKernel knows nothing of a setting that this kernel does not have', async () => {
  expect(await real.readSysctl('kernel/no_such_setting')).toBeUndefined()
  expect(await real.readSysctl('kernel/ostype/below')).toBeUndefined()
})

test.each([
  ['one that is not there', 'kernel/no_such_setting', ['ENOENT', 'EACCES']],
  ['one that nobody may write', 'kernel/ostype', ['EACCES', 'EPERM', 'EROFS']],
])('procKernel says by a code why the kernel does not take a value: %s', async (_, path, codes) => {
  const error = await real.writeSysctl(path, '1').catch((cause: unknown) => cause)

  expect(codes).toContain((error as NodeJS.ErrnoException).code)
})

test('procKernel sees the modules of the running kernel', async () => {
  const named = existsSync('/sys/module/kernel') ? 'kernel' : 'printk'
  expect(await real.hasModule(named)).toBe(true)
  expect(await real.hasModule('nodewave_no_such_module')).toBe(false)
})

test('procKernel names the kernel that runs', async () => {
  expect(await real.release()).toBe(release())
})

test('parseBuiltIn gives modules by the names that a running kernel gives them', () => {
  expect([...parseBuiltIn('kernel/fs/ext4/ext4.ko\nkernel/net/8021q/8021q.ko\nkernel/drivers/dm-mod.ko.xz\n')]).toEqual([
    'ext4',
    '8021q',
    'dm_mod',
  ])
})

test('startOf adds to the start of the machine when the first process of a container has started', () => {
  const first = '1 (systemd (a) b) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 6000 170000000 3000 1844'
  expect(startOf('cpu 1 2\nbtime 1700000000\nprocesses 5\n', first)).toBe(1_700_000_060_000)
})

test('procKernel says when the machine has started', async () => {
  const started = await real.startedAt()
  expect(started).toBeGreaterThan(1_500_000_000_000)
  expect(started).toBeLessThan(Date.now())
})

test('parseSwaps gives path and priority of each swap', () => {
  const text =
    'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/zram0                              partition\t1012732\t\t0\t\t100\n/swap\\040file                           file\t\t1048572\t\t512\t\t-2\n'
  expect(parseSwaps(text)).toEqual([
    { path: '/dev/zram0', priority: 100 },
    { path: '/swap file', priority: -2 },
  ])
  expect(parseSwaps('Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n')).toEqual([])
})

test('procKernel changes modules and swaps by programs, whose arguments are no options', async () => {
  const { kernel, ran } = answering()
  await kernel.loadModule('br_netfilter')
  await kernel.unloadModule('br_netfilter')
  await kernel.swapOff('/dev/sda2')
  await kernel.swapOn({ path: '/dev/sda2', priority: -2 })
  await kernel.swapOn({ path: '/dev/zram0', priority: 100 })

  expect(ran).toEqual([
    'modprobe -- br_netfilter',
    'rmmod -- br_netfilter',
    'swapoff -- /dev/sda2',
    'swapon -- /dev/sda2',
    'swapon --priority=100 -- /dev/zram0',
  ])
})

test('procKernel tells what a program said that failed', async () => {
  const { kernel } = answering({ code: 1, stderr: 'modprobe: FATAL: Module x not found in directory /lib/modules/6.1\n' })

  await expect(kernel.loadModule('x')).rejects.toThrow(
    'modprobe -- x: exit 1: modprobe: FATAL: Module x not found in directory /lib/modules/6.1',
  )
})

test('a directory that is no mount of cgroup v2 counts as cgroup v1, as it does for the kubelet', async () => {
  expect(await cgroupVersionAt('/proc')).toBe('v1')
  expect(await cgroupVersionAt('/proc/none')).toBe('v1')
})
