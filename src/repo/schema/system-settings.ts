import * as z from 'zod'
import { isTimeZone } from '../../calendar/time-zone.ts'
import { KERNEL_ARGUMENT, TIME_SERVER, TIME_ZONE } from '../../protocol/system-sections.ts'
import { relativePath } from './common.ts'

const timeServers = z.array(z.string().regex(TIME_SERVER, 'expected the name or address of a time server')).min(1).max(20)

/** With these a machine comes up without its kubelet, or not at all, and no agent is there to undo it. */
const NO_NODE =
  /^(?:root|rootfstype|init|rdinit|initrd|ro|rw|single|emergency|rescue|[1-6s]|panic|systemd\.unit|rd\..*|nosmp|maxcpus|mem|acpi)(?:=|$)/

const kernelArgument = z
  .string()
  .regex(KERNEL_ARGUMENT, 'expected one argument such as "transparent_hugepage=never", without spaces and quotes')
  .refine(
    (word) => !NO_NODE.test(word),
    'a machine that does not come up with it could not be repaired by its agent; set it in an image',
  )

const certificate = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,60}$/, 'expected a name of small letters, digits, dots and dashes'),
    content: z.string().exactOptional().describe('The certificate, in PEM form.'),
    from: relativePath.exactOptional().describe('A file of the repository instead, relative to the folder of the fleet.'),
  })
  .refine(({ content, from }) => (content === undefined) !== (from === undefined), 'expected one of content and from')
export type CertificateSpec = z.infer<typeof certificate>

/** The fields of a HostProfile that are small settings of the system. */
export const systemSettings = {
  time: z
    .strictObject({
      zone: z
        .string()
        .refine(
          (zone) => TIME_ZONE.test(zone) && isTimeZone(zone),
          'expected a time zone of the IANA database, such as "Europe/Berlin"',
        )
        .exactOptional()
        .describe('The time zone that programs on the host show. Default: unchanged.'),
      ntp: z
        .strictObject({
          servers: timeServers.describe('Names or addresses of time servers.'),
          fallbackServers: timeServers
            .exactOptional()
            .describe('Asked when none of the others is known. Default: those of systemd.'),
        })
        .exactOptional()
        .describe('systemd-timesyncd keeps the time. Default: unchanged.'),
    })
    .exactOptional()
    .describe('Time zone, and who keeps the time.'),
  kernelArguments: z
    .array(kernelArgument)
    .min(1)
    .max(50)
    .exactOptional()
    .describe('Arguments that the boot loader adds to those of the host; each node reboots for them.'),
  certificates: z
    .array(certificate)
    .max(100)
    .exactOptional()
    .describe('Authorities that programs on the host trust, beside those of the distribution.'),
}
