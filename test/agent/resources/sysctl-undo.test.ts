import { expect, test } from 'vitest'
import type { Kernel } from '../../../src/agent/kernel.ts'
import type { HostHands } from '../../../src/agent/resources/kind.ts'
import { sysctl } from '../../../src/agent/resources/sysctl.ts'

/** Whether the undo is done on a host where the kernel has this value; undefined: no such setting. */
async function isUndone(value: string | null, found: string | undefined): Promise<boolean | undefined> {
  const kernel: Partial<Kernel> = { readSysctl: async () => found }
  return sysctl.readUndo({ name: 'net.netfilter.nf_conntrack_max', value })?.isUndone({ kernel } as HostHands)
}

test('the undo of a sysctl is done when its value is as before', async () => {
  expect(await isUndone('262144', '262144')).toBe(true)
  expect(await isUndone('262144', '1048576')).toBe(false)
})

test('the undo of a sysctl that went with its module is done', async () => {
  expect(await isUndone('262144', undefined)).toBe(true)
})

test('the undo of a sysctl that was not there before asks for no value', async () => {
  expect(await isUndone(null, '262144')).toBe(true)
})
