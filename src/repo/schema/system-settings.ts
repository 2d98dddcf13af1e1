import * as z from 'zod'
import { isTimeZone } from '../../calendar/time-zone.ts'
import { TIME_SERVER, TIME_ZONE } from '../../protocol/system-sections.ts'

const timeServers = z.array(z.string().regex(TIME_SERVER, 'expected the name or address of a time server')).min(1).max(20)

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
}
