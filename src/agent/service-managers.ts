import { KUBELET_UNIT } from './paths.ts'

/** Programs that start the services of a host. */
export const SERVICE_MANAGERS = ['systemd', 'openrc', 'runit', 'sysvinit'] as const
export type ServiceManagerName = (typeof SERVICE_MANAGERS)[number]

/** As they write their names themselves. */
export const MANAGER_TITLES: Readonly<Record<ServiceManagerName, string>> = {
  systemd: 'systemd',
  openrc: 'OpenRC',
  runit: 'runit',
  sysvinit: 'sysvinit',
}

const SERVICE = /^([A-Za-z0-9][A-Za-z0-9_.+@-]*)\.service$/

/** The name of a service where there are no units of other types; undefined for those. */
export function serviceName(unit: string): string | undefined {
  return SERVICE.exec(unit)?.[1]
}

/** The file that says how a service is started, where that is no unit file. */
export function definitionFile(manager: Exclude<ServiceManagerName, 'systemd'>, service: string): string {
  return manager === 'runit' ? `/etc/sv/${service}/run` : `/etc/init.d/${service}`
}

/** What the service manager reads to start the kubelet, where that is not systemd. */
export function kubeletDefinition(manager: Exclude<ServiceManagerName, 'systemd'>): string[] {
  const service = serviceName(KUBELET_UNIT) ?? ''
  const settings = manager === 'openrc' ? [`/etc/conf.d/${service}`] : []
  return [definitionFile(manager, service), ...settings]
}
