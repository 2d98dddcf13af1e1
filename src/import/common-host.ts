import { common } from './factor.ts'
import type { HostContent } from './subject.ts'

/** What all of these hosts have alike. */
export function commonHost(hosts: readonly HostContent[]): HostContent {
  return {
    files: common(hosts.map(({ files }) => files)),
    units: common(hosts.map(({ units }) => units)),
    packages: common(hosts.map(({ packages }) => packages)),
    time: common(hosts.map(({ time }) => time)),
    settings: common(hosts.map(({ settings }) => settings)),
  }
}
