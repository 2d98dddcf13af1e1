import * as z from 'zod'
import { isTimeZone } from '../../calendar/time-zone.ts'
import { TIME_SERVER, TIME_ZONE } from '../../protocol/system-sections.ts'
import { relativePath } from './common.ts'

const timeServers = z.array(z.string().regex(TIME_SERVER, 'expected the name or address of a time server')).min(1).max(20)

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
  certificates: z
    .array(certificate)
    .max(100)
    .exactOptional()
    .describe('Authorities that programs on the host trust, beside those of the distribution.'),
}
