import * as z from 'zod/mini'
import { SYSCTL_NAME, SYSCTL_VALUE } from './sysctl-name.ts'

export const MODULE_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** The parts of the host document that are about the kernel. */
export const KERNEL_SECTIONS = {
  sysctls: z.record(z.string().check(z.regex(SYSCTL_NAME)), z.string().check(z.regex(SYSCTL_VALUE))),
  kernelModules: z.array(z.string().check(z.regex(MODULE_NAME))),
  swap: z.literal('off'),
} as const

/** The kernel makes no difference between `-` and `_`, and shows the latter. */
export function moduleName(name: string): string {
  return name.replaceAll('-', '_')
}
