import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceManager, ServiceState } from '../../ports.ts'
import { HostPlace } from './host-place.ts'
import { type Order, order } from './service-call.ts'
import { ServiceLogs } from './service-logs.ts'
import { type RunningProcess, ServiceProcesses } from './service-processes.ts'

/** What the adapters of service managers work with. */
export interface ServiceParts {
  readonly sleep: (milliseconds: number) => Promise<unknown>
  readonly place: HostPlace
  readonly processes: ServiceProcesses
  readonly logs: ServiceLogs
  readonly run: Order
}

export interface ServicePartsOptions {
  readonly sleep?: ServiceParts['sleep']
  readonly root?: string
  readonly run?: Order
}

export function serviceParts({ root = '/', run = order, sleep = pause }: ServicePartsOptions = {}): ServiceParts {
  return { place: new HostPlace(root), processes: new ServiceProcesses(root), logs: new ServiceLogs(), run, sleep }
}

export const MISSING: ServiceState = {
  exists: false,
  isGone: true,
  active: 'inactive',
  enabled: false,
  isStatic: false,
  mainPid: 0,
  restarts: 0,
  runningFor: 0,
  lastExit: 0,
}

/** These managers are asked for one service at a time. */
export function showEach(show: ServiceManager['show']): ServiceManager['showAll'] {
  return (units) => Promise.all(units.map(async (unit) => ({ unit, service: await show(unit) })))
}

/** None of these managers tells how a process ended. */
export function stateOf(
  active: ServiceState['active'],
  {
    process,
    enabled,
    restarts,
  }: { readonly process: RunningProcess | undefined; readonly enabled: boolean; readonly restarts: number },
): ServiceState {
  const { pid = 0, runningFor = 0 } = process ?? {}
  return { ...MISSING, exists: true, isGone: false, active, enabled, mainPid: pid, restarts, runningFor }
}

/** Milliseconds between two looks, and how many of them: as long as systemd waits for a service to stop. */
const LOOK = 100
const MOST_LOOKS = 900

/** Scripts send a signal, and may not wait for what it does. @throws when the process goes on */
export async function awaitEnd(
  process: RunningProcess | undefined,
  { service, parts: { processes, sleep } }: { readonly service: string; readonly parts: ServiceParts },
): Promise<void> {
  if (process === undefined) return
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const found = await processes.find([process.pid])
    if (found?.started !== process.started) return
    await sleep(LOOK)
  }
  throw new Error(`stop "${service}": process ${process.pid} still runs after ${(LOOK * MOST_LOOKS) / 1000} s`)
}

/** Of the kernel, whatever started the machine. */
export async function kernelBootId(place: HostPlace): Promise<string> {
  const id = await place.text('/proc/sys/kernel/random/boot_id')
  if (id === undefined) throw new Error('read "/proc/sys/kernel/random/boot_id": there is none; mount /proc')
  return id.trim()
}
