import * as z from 'zod'
import { MODULE_NAME } from '../../protocol/kernel-sections.ts'
import { SYSCTL_NAME, SYSCTL_VALUE } from '../../protocol/sysctl-name.ts'

const sysctlName = z
  .string()
  .regex(SYSCTL_NAME, 'expected the whole name of a sysctl such as "net.ipv4.ip_forward"; patterns are not expanded')

/** The fields of a HostProfile that are about the kernel. */
export const kernelSettings = {
  sysctls: z
    .record(sysctlName, z.union([z.string().regex(SYSCTL_VALUE, 'expected one line with a value in it'), z.int()]))
    .exactOptional()
    .describe('Settings of the kernel by name, now and after each boot. See docs/host-profile.md.'),
  kernelModules: z
    .array(z.string().regex(MODULE_NAME, 'expected the name of a kernel module'))
    .max(100)
    .exactOptional()
    .describe('Modules of the kernel that are loaded, now and at each boot.'),
  swap: z.literal('off').exactOptional().describe('Nothing is swapped to, now and after each boot. Default: unchanged.'),
}
