import { type MachineState, ServiceCallKilled, type ServiceManager, type ServiceState } from '../../ports.ts'
import { definitionFile, serviceName } from '../../service-managers.ts'
import type { HostPlace } from './host-place.ts'
import { act } from './service-call.ts'
import {
  awaitEnd,
  kernelBootId,
  MISSING,
  type ServiceParts,
  type ServicePartsOptions,
  serviceParts,
  showEach,
  stateOf,
} from './service-parts.ts'
import type { RunningProcess } from './service-processes.ts'
import { readScript } from './service-script.ts'

const RUN = '/run/openrc'
const RUNLEVELS = '/etc/runlevels'
/** What a machine is in when it is up. */
const RUNLEVEL = 'default'

/** OpenRC by `rc-service` and `rc-update`. What a service does, its state directory and /proc show: no process for a look. */
export function openrc(options: ServicePartsOptions = {}): ServiceManager {
  const parts = serviceParts(options)
  const { place, processes, logs, run } = parts
  const show = async (unit: string): Promise<ServiceState> => {
    const service = await known(unit, place)
    if (service === undefined) return MISSING
    const { active, process } = await look(service, parts)
    return stateOf(active, {
      process,
      enabled: (await runlevelsOf(service, place)).length > 0,
      restarts: processes.restarts(service, process),
    })
  }
  const service = (...args: readonly string[]): Promise<void> => act(run, 'rc-service', args)
  /** OpenRC counts a service as started whose daemon has died, and neither starts nor stops it then. */
  const startAfresh = async (name: string): Promise<void> => {
    if ((await look(name, parts)).active === 'failed') await service(name, 'zap')
    await service(name, 'start')
  }
  const begin = async (unit: string): Promise<{ readonly name: string; readonly before: Looked }> => {
    const name = nameOf(unit)
    processes.startedByUs(name)
    await logs.mark(name, { at: Date.now(), files: await logFiles(name, place) })
    return { name, before: await look(name, parts) }
  }
  return {
    name: 'openrc',
    show,
    showAll: showEach(show),
    stoppedWith: async () => [],
    start: async (unit) => startAfresh((await begin(unit)).name),
    restart: async (unit) => {
      const { name, before } = await begin(unit)
      if (before.active === 'failed') return startAfresh(name)
      await service(name, 'restart').catch(async (error: unknown) => {
        if (error instanceof ServiceCallKilled) throw error
        // Not every script waits for the end of the old process, and the new one is refused while that runs.
        await awaitEnd(before.process, { service: name, parts })
        await startAfresh(name)
      })
    },
    stop: async (unit) => {
      const name = nameOf(unit)
      const { active, process } = await look(name, parts)
      await service(name, active === 'failed' ? 'zap' : 'stop')
      await awaitEnd(process, { service: name, parts })
    },
    enable: (unit) => act(run, 'rc-update', ['add', nameOf(unit), RUNLEVEL]),
    disable: async (unit) => {
      const service = nameOf(unit)
      const levels = await runlevelsOf(service, place)
      const other = levels.find((level) => level !== RUNLEVEL)
      if (other !== undefined) throw notInDefault(service, other)
      if (levels.length > 0) await act(run, 'rc-update', ['del', service, RUNLEVEL])
    },
    // Scripts are read each time; the tree of dependencies by OpenRC itself, when a script is newer.
    reload: async () => {},
    machine: () => machine(place),
    bootId: () => kernelBootId(place),
    reboot: async () => {
      const isFirst = (await place.text('/proc/1/comm'))?.trim() === 'openrc-init'
      await (isFirst ? act(run, 'openrc-shutdown', ['-r', 'now']) : act(run, 'reboot', []))
    },
    lastWords: async (unit, since) => {
      const service = nameOf(unit)
      return logs.last(service, { since, files: await logFiles(service, place) })
    },
  }
}

function nameOf(unit: string): string {
  const service = serviceName(unit)
  if (service !== undefined) return service
  throw new Error(`find service "${unit}": OpenRC has services only, named NAME.service`)
}

async function known(unit: string, place: HostPlace): Promise<string | undefined> {
  const service = serviceName(unit)
  return service !== undefined && (await place.exists(definitionFile('openrc', service))) ? service : undefined
}

/** Disabled and enabled again, it would start at another time of the boot. */
function notInDefault(service: string, level: string): Error {
  return new Error(
    `disable "${service}": it is in runlevel "${level}"; only "${RUNLEVEL}" is managed: rc-update del ${service} ${level}`,
  )
}

async function runlevelsOf(service: string, place: HostPlace): Promise<string[]> {
  const levels: string[] = []
  for (const level of await place.names(RUNLEVELS)) if (await place.exists(`${RUNLEVELS}/${level}/${service}`)) levels.push(level)
  return levels
}

interface Looked {
  readonly active: ServiceState['active']
  readonly process?: RunningProcess | undefined
}

async function look(service: string, { place, processes }: ServiceParts): Promise<Looked> {
  const is = (state: string): Promise<boolean> => place.exists(`${RUN}/${state}/${service}`)
  if (await is('stopping')) return { active: 'deactivating' }
  if (await is('failed')) return { active: 'failed' }
  const isStarting = await is('starting')
  if (!isStarting && !(await is('started'))) return { active: 'inactive' }
  const supervised = await place.pidsIn([`${RUN}/options/${service}/child_pid`])
  const files = await pidFilesOf(service, place)
  const pids = await place.pidsIn(files)
  const process = await processes.find(supervised.length > 0 ? supervised : pids)
  if (process !== undefined) return { active: isStarting ? 'activating' : 'active', process }
  if (isStarting) return { active: 'activating' }
  // Without a process to look for, there is nothing but OpenRC's word.
  if (supervised.length === 0 && pids.length === 0) return { active: 'active' }
  const isSupervisorThere = supervised.length > 0 && (await processes.find(pids)) !== undefined
  return { active: isSupervisorThere ? 'activating' : 'failed' }
}

/** As OpenRC noted them when it started the service, or as the script names them. */
async function pidFilesOf(service: string, place: HostPlace): Promise<string[]> {
  const noted = (await place.text(`${RUN}/options/${service}/pidfile`))?.trim()
  const daemons: string[] = []
  for (const name of await place.names(`${RUN}/daemons/${service}`)) {
    const file = /^pidfile=(\/.*)$/m.exec((await place.text(`${RUN}/daemons/${service}/${name}`)) ?? '')?.[1]
    if (file !== undefined) daemons.push(file)
  }
  const found = [...(noted ? [noted] : []), ...daemons]
  return found.length > 0 ? [...new Set(found)] : [...(await scriptOf(service, place)).pidFiles]
}

async function scriptOf(service: string, place: HostPlace) {
  const settings = (await place.text(`/etc/conf.d/${service}`)) ?? ''
  return readScript(`${settings}\n${(await place.text(definitionFile('openrc', service))) ?? ''}`, service)
}

async function logFiles(service: string, place: HostPlace): Promise<string[]> {
  const { logs } = await scriptOf(service, place)
  return [...new Set([...logs, `/var/log/${service}.log`])].map((path) => place.path(path))
}

async function machine(place: HostPlace): Promise<MachineState> {
  if (await place.exists(`${RUN}/rc.stopping`)) return 'stopping'
  return (await place.exists(`${RUN}/rc.starting`)) ? 'starting' : 'up'
}
