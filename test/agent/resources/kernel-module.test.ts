import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const FILE = '/etc/modules-load.d/nodewave.conf'

async function applied(...kernelModules: string[]): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify({ kernelModules }) })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  return machine
}

const loaded = ({ host }: Machine) => host.kernel.snapshot().modules

test('kernel modules are loaded, now and at the next boot, by the names that the kernel shows', async () => {
  const machine = await applied('br-netfilter', 'ext4')
  expect(loaded(machine)).toEqual(['br_netfilter'])
  expect(machine.host.files.text(FILE)).toBe('# Written by nodewave: a change here is overwritten.\nbr_netfilter\next4\n')
  machine.kill()
  machine.host.powerOff()
  machine.host.powerOn()

  expect(loaded(machine)).toEqual(['br_netfilter'])
})

test('a kernel module that nodewave loaded is unloaded when it is not named any more; one that was loaded before stays', async () => {
  const machine = new Machine()
  await machine.host.kernel.loadModule('ip_vs')
  machine.start()
  await machine.untilDigest(machine.assign({ host: JSON.stringify({ kernelModules: ['br_netfilter', 'ip_vs'] }) }), 'Applied')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(loaded(machine)).toEqual(['ip_vs'])
})

test('a kernel module that is in use stays loaded when it is not named any more', async () => {
  const machine = await applied('nf_conntrack')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(loaded(machine)).toEqual(['nf_conntrack'])
  expect(machine.host.files.text(FILE)).toBeUndefined()
  expect(machine.status?.error).toBeUndefined()
})

test('a kernel module that somebody unloads is loaded again', async () => {
  const machine = await applied('ip_vs')
  await machine.host.kernel.unloadModule('ip_vs')
  await machine.clock.advance(6 * MINUTE)

  expect(loaded(machine)).toEqual(['ip_vs'])
})

test('a kernel module that this kernel does not have is refused by the name of the kernel, and the others go again', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify({ kernelModules: ['br_netfilter', 'no_such'] }) })

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'ModuleNotLoaded',
    message:
      'failed to validate config: load "no_such" into kernel 6.1.0-18-amd64: modprobe -- no_such: exit 1: modprobe: FATAL: Module no_such not found in directory /lib/modules/6.1.0-18-amd64; correct the name, or install the modules of this kernel',
  })
  expect(loaded(machine)).toEqual([])
  expect(machine.host.files.text(FILE)).toBeUndefined()
})

test('a kernel module by another name than its own is refused', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify({ kernelModules: ['ip_vs_alias'] }) })

  const { error } = await machine.until('RolledBack')
  expect(error?.reason).toBe('ModuleNotLoaded')
  expect(error?.message).toContain('no module of that name is there afterwards; "modprobe --resolve-alias" names it')
})

test('a kernel module needs a grant to restart', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify({ kernelModules: ['br_netfilter'] }) }, { GRANT: 'none' })

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'restart' })
  expect(loaded(machine)).toEqual([])
})
