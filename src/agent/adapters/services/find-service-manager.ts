import type { ServiceManager } from '../../ports.ts'
import type { ServiceManagerName } from '../../service-managers.ts'
import { systemd } from '../systemd.ts'
import { HostPlace } from './host-place.ts'
import { openrc } from './openrc.ts'
import { runit } from './runit.ts'
import { sysvinit } from './sysvinit.ts'

const ADAPTERS: Readonly<Record<ServiceManagerName, () => ServiceManager>> = { systemd: () => systemd(), openrc, runit, sysvinit }

export function serviceManager(name: ServiceManagerName): ServiceManager {
  return ADAPTERS[name]()
}

/**
 * Which program starts the services of this machine, by what each leaves while it runs. OpenRC may run below the init of sysvinit or BusyBox.
 * Without any, as in a container: systemd, whose programs then say that they reach none.
 */
export async function findServiceManager(place = new HostPlace()): Promise<ServiceManagerName> {
  if (await place.exists('/run/systemd/system')) return 'systemd'
  if (await place.exists('/run/openrc/softlevel')) return 'openrc'
  const first = ((await place.text('/proc/1/comm')) ?? '').trim()
  if (first === 'runit') return 'runit'
  // Also BusyBox is called init; what has runlevels is sysvinit.
  return first === 'init' && (await place.exists('/etc/init.d/rc')) ? 'sysvinit' : 'systemd'
}
