import type { Answer, UnitLook } from '../ports.ts'
import { isStable, observeProcess, type ProcessLook, type ProcessRecord, recordFrom } from './process-record.ts'

/** One look at the kubelet's service on its own host, and at what it needs. */
export interface Look extends ProcessLook {
  readonly health: Answer
  /** The container runtime. */
  readonly runtime: Answer
  /** Units besides the kubelet that have to run. */
  readonly units: readonly UnitLook[]
}

/** What the looks so far have shown. */
export interface Watched {
  /** Monotonic milliseconds. */
  readonly since: number
  readonly kubelet: ProcessRecord
  readonly units: Readonly<Record<string, ProcessRecord>>
}

export interface Limits {
  /** Milliseconds that the same process must run, and be healthy, before it is believed. */
  readonly stable: number
  /** Milliseconds after which a kubelet that is not healthy is given up. */
  readonly healthy: number
}

export type Judgement =
  | { readonly kind: 'wait' | 'start' | 'healthy' }
  /** `unit`: the one that is to blame, when it is not the kubelet. */
  | { readonly kind: 'failed'; readonly message: string; readonly unit?: string }

/** A single exit can be bad luck: a container runtime that was restarted a moment ago. The third is the kubelet's last word. */
const EXITS_TO_FAIL = 3
/** Milliseconds to wait before the first and before the second new start. Waiting for the unit's own RestartSec would take 10 s each. */
const PATIENCE = [1000, 4000]

/** @param options.undisturbed nothing was done to the host: how long its processes have run already counts in full */
export function watchFrom(at: number, { undisturbed = false } = {}): Watched {
  return { since: at, kubelet: recordFrom(undisturbed ? Number.NEGATIVE_INFINITY : at, at), units: {} }
}

/** Takes one more look into account. Pure. */
export function observeLook(before: Watched, look: Look): Watched {
  const { at, now } = look
  const record = ({ unit, service }: UnitLook): [string, ProcessRecord] => [
    unit,
    observeProcess(before.units[unit] ?? recordFrom(before.kubelet.countsFrom, at), { at, now, service }),
  ]
  return { ...before, kubelet: observeKubelet(before.kubelet, look), units: Object.fromEntries(look.units.map(record)) }
}

/** The kubelet's unit is of a type that is active before its process is there. */
function observeKubelet(before: ProcessRecord, look: ProcessLook): ProcessRecord {
  const { service } = look
  const isStarting = service.active === 'active' && service.mainPid === 0
  return observeProcess(before, isStarting ? { ...look, service: { ...service, active: 'activating' } } : look)
}

/** The kubelet was restarted. */
export function restarted(watched: Watched): Watched {
  return { ...watched, kubelet: { ...watched.kubelet, down: false } }
}

/** `start`: give the kubelet another chance at once. `healthy`: the same processes have run and answered for long enough. */
export function judgeHealth(watched: Watched, look: Look, limits: Limits): Judgement {
  const { kubelet } = watched
  if (kubelet.exits >= EXITS_TO_FAIL) return { kind: 'failed', message: `kubelet exited ${kubelet.exits} times` }
  const dead = look.units.find((one) => isGivenUp(one, watched))
  if (dead !== undefined) return { kind: 'failed', ...blame(dead, watched) }
  const isKubeletUp = isStable(kubelet, look.at, limits.stable) && look.health.ok
  const unstable = look.units.find(({ unit }) => !isStable(watched.units[unit] ?? kubelet, look.at, limits.stable))
  if (isKubeletUp && unstable === undefined && look.runtime.ok) return { kind: 'healthy' }
  if (look.at - watched.since >= limits.healthy) {
    const after = `after ${limits.healthy / 1000} s`
    if (!isKubeletUp) return { kind: 'failed', message: `kubelet was not healthy ${after}: ${describe(look)}` }
    if (unstable !== undefined) return { kind: 'failed', ...blame(unstable, watched) }
    return { kind: 'failed', message: `the container runtime did not answer ${after}: ${look.runtime.detail}` }
  }
  const patience = PATIENCE[kubelet.exits - 1] ?? 0
  return { kind: kubelet.down && look.at - kubelet.downSince >= patience ? 'start' : 'wait' }
}

/** The service manager starts it no more, or does so again and again. */
function isGivenUp({ unit, service }: UnitLook, { units }: Watched): boolean {
  return service.active === 'failed' || (units[unit]?.exits ?? 0) >= EXITS_TO_FAIL
}

function blame({ unit, service }: UnitLook, { units }: Watched): { readonly message: string; readonly unit: string } {
  const exits = units[unit]?.exits ?? 0
  return { message: exits >= EXITS_TO_FAIL ? `${unit} exited ${exits} times` : `${unit} is ${service.active}`, unit }
}

function describe({ service, health }: Look): string {
  return service.active === 'active' ? health.detail : `its service is ${service.active}`
}
