import type { MachineState, ServiceManager, ServiceState } from '../../ports.ts'
import { definitionFile, serviceName } from '../../service-managers.ts'
import { runProgram } from '../run-program.ts'
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

/** In which services run; those of the boot are in S. */
const RUNLEVELS = ['2', '3', '4', '5', 'S']

export interface SysvinitOptions extends ServicePartsOptions {
  readonly ask?: typeof runProgram
}

/** sysvinit by the scripts of /etc/init.d and `update-rc.d`, as on Debian and Devuan. Nobody restarts what dies there. */
export function sysvinit({ ask = runProgram, ...options }: SysvinitOptions = {}): ServiceManager {
  const parts = serviceParts(options)
  const { place, processes, logs, run } = parts
  const launch = async (verb: 'start' | 'restart', unit: string): Promise<void> => {
    const service = await required(unit, place)
    processes.startedByUs(service)
    await logs.mark(service, { at: Date.now(), files: await logFiles(service, place) })
    await act(run, definitionFile('sysvinit', service), [verb])
  }
  const show = async (unit: string): Promise<ServiceState> => {
    const service = await known(unit, place)
    if (service === undefined) return MISSING
    const { active, process } = await look(service, parts, ask)
    const enabled = await isEnabled(service, place)
    return stateOf(active, { process, enabled, restarts: processes.restarts(service, process) })
  }
  return {
    name: 'sysvinit',
    show,
    showAll: showEach(show),
    stoppedWith: async () => [],
    start: (unit) => launch('start', unit),
    restart: (unit) => launch('restart', unit),
    stop: async (unit) => {
      const service = await required(unit, place)
      const { process } = await look(service, parts, ask)
      await act(run, definitionFile('sysvinit', service), ['stop'])
      await awaitEnd(process, { service, parts })
    },
    enable: async (unit) => {
      const service = await required(unit, place)
      await act(run, 'update-rc.d', [service, 'defaults'])
      if (!(await isEnabled(service, place))) await act(run, 'update-rc.d', [service, 'enable'])
    },
    disable: async (unit) => {
      const service = await required(unit, place)
      if (await isEnabled(service, place)) await act(run, 'update-rc.d', [service, 'disable'])
    },
    reload: async () => {},
    machine: () => machine(place),
    bootId: () => kernelBootId(place),
    reboot: () => act(run, 'shutdown', ['-r', 'now']),
    lastWords: async (unit, since) => {
      const service = await required(unit, place)
      return logs.last(service, { since, files: await logFiles(service, place) })
    },
  }
}

async function known(unit: string, place: HostPlace): Promise<string | undefined> {
  const service = serviceName(unit)
  return service !== undefined && (await place.exists(definitionFile('sysvinit', service))) ? service : undefined
}

async function required(unit: string, place: HostPlace): Promise<string> {
  const service = await known(unit, place)
  if (service !== undefined) return service
  throw new Error(`find service "${unit}": there is no "${definitionFile('sysvinit', serviceName(unit) ?? 'NAME')}"`)
}

async function isEnabled(service: string, place: HostPlace): Promise<boolean> {
  for (const level of RUNLEVELS)
    if ((await place.names(`/etc/rc${level}.d`)).some((name) => /^S\d\d/.test(name) && name.slice(3) === service)) return true
  return false
}

interface Looked {
  readonly active: ServiceState['active']
  readonly process?: RunningProcess | undefined
}

/** The process says more than the script: that one is asked only where there is no process. */
async function look(service: string, { place, processes }: ServiceParts, ask: typeof runProgram): Promise<Looked> {
  const text = (await place.text(definitionFile('sysvinit', service))) ?? ''
  const pids = await place.pidsIn([...readScript(text, service).pidFiles, `/run/${service}.pid`])
  const process = await processes.find(pids)
  if (process !== undefined) return { active: 'active', process }
  if (pids.length > 0) return { active: 'failed' }
  // One that has no such verb may do anything for it.
  if (!/\bstatus\b[^\n]*\)/.test(text)) return { active: 'inactive' }
  const { code } = await ask(definitionFile('sysvinit', service), ['status'], { timeout: 30_000 })
  return { active: STATES.get(code) ?? 'inactive' }
}

/** Exit codes of `status`, as the LSB has them. */
const STATES: ReadonlyMap<number, ServiceState['active']> = new Map([
  [0, 'active'],
  [1, 'failed'],
  [2, 'failed'],
])

async function logFiles(service: string, place: HostPlace): Promise<string[]> {
  const { logs } = readScript((await place.text(definitionFile('sysvinit', service))) ?? '', service)
  return [...new Set([...logs, `/var/log/${service}.log`])].map((path) => place.path(path))
}

/** init shows the runlevel in its own command line, and scripts are run by one that is called rc. */
async function machine(place: HostPlace): Promise<MachineState> {
  const level = /\[(\w)\]/.exec((await place.text('/proc/1/cmdline')) ?? '')?.[1]
  if (level === '0' || level === '6') return 'stopping'
  if (level === 'S' || level === undefined) return 'starting'
  for (const pid of await place.names('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const command = await place.text(`/proc/${pid}/cmdline`).catch(() => undefined)
    if (command?.includes('/etc/init.d/rc\0')) return 'starting'
  }
  return 'up'
}
