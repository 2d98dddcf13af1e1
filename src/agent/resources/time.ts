import { type HostTime, SYSTEM_SECTIONS } from '../../protocol/system-sections.ts'
import { SECTION_FILES } from '../../protocol/written-paths.ts'
import type { Managed } from '../state/managed.ts'
import type { Resource, Section } from './kind.ts'
import { link, linkClaim } from './link.ts'
import { TIME_SERVERS_FILE, timeServers } from './time-servers.ts'
import { unit } from './unit.ts'

const LOCAL_TIME = SECTION_FILES.localTime
const ZONES = '/usr/share/zoneinfo'
const NTP_UNIT = 'systemd-timesyncd.service'

/** The zone is a link, and systemd-timesyncd keeps the time. */
export const time: Section = {
  key: 'time',
  schema: SYSTEM_SECTIONS.time,
  managed: ({ zone, ntp }: HostTime): Managed => ({
    claims: [
      ...(zone === undefined ? [] : [linkClaim(LOCAL_TIME)]),
      ...(ntp === undefined
        ? []
        : [
            { kind: 'time-servers', key: TIME_SERVERS_FILE },
            { kind: 'unit', key: NTP_UNIT },
          ]),
    ],
    triggers: ntp === undefined ? [] : [{ unit: NTP_UNIT, subjects: [TIME_SERVERS_FILE] }],
  }),
  resources: async ({ zone, ntp }: HostTime): Promise<Resource[]> => [
    ...(zone === undefined ? [] : [link.of({ path: LOCAL_TIME, target: `${ZONES}/${zone}` })]),
    ...(ntp === undefined ? [] : ntpResources(ntp)),
  ],
}

function ntpResources(ntp: NonNullable<HostTime['ntp']>): Resource[] {
  return [timeServers.of(ntp), unit.of({ name: NTP_UNIT, enabled: true, running: true, restartTriggers: [TIME_SERVERS_FILE] })]
}
