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

/** In all of these systemd looks for the files of units, as `systemctl show --property=UnitPath` tells. */
const UNIT_PATH = [
  ...['system.control', 'system', 'system.attached'].flatMap((name) => [`/etc/systemd/${name}`, `/run/systemd/${name}`]),
  ...['transient', 'generator.early', 'generator', 'generator.late'].map((name) => `/run/systemd/${name}`),
  ...['/usr/local/lib', '/usr/lib', '/lib'].map((directory) => `${directory}/systemd/system`),
]

/** `a@.service`, from which systemd makes `a@x.service`. */
export function isTemplate(unit: string): boolean {
  return /@\.[a-z]+$/.test(unit)
}

/** Of an instance; of every other unit the unit itself. */
export function templateOf(unit: string): string {
  return unit.replace(/@.*\./, '@.')
}

/** Processes of other units run in it: all of them require it, and stop with it. */
export function isSlice(unit: string): boolean {
  return unit.endsWith('.slice')
}

/** The files of which one is enough for the service manager to know a unit; none: it needs no file. Pure. */
export function definitionsOf(manager: ServiceManagerName, unit: string): string[] {
  if (manager !== 'systemd') {
    const service = serviceName(unit)
    return service === undefined ? [] : [definitionFile(manager, service)]
  }
  if (isSlice(unit)) return []
  const template = templateOf(unit)
  return [...new Set([unit, template])].flatMap((name) => UNIT_PATH.map((directory) => `${directory}/${name}`))
}

/** What the service manager reads to start the kubelet, where that is not systemd. */
export function kubeletDefinition(manager: Exclude<ServiceManagerName, 'systemd'>): string[] {
  const service = serviceName(KUBELET_UNIT) ?? ''
  const settings = manager === 'openrc' ? [`/etc/conf.d/${service}`] : []
  return [definitionFile(manager, service), ...settings]
}
