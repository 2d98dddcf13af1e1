import type { ServiceState } from '../ports.ts'

/** One look at the kubelet's service on its own host. */
export interface Look {
  /** Monotonic milliseconds. */
  readonly at: number
  readonly service: ServiceState
  readonly health: { readonly ok: boolean; readonly detail: string }
}

/** What the looks so far have shown. */
export interface Watched {
  readonly startedAt: number
  /** What a process ran before that proves nothing: the host was changed then. */
  readonly countsFrom: number
  /** Of the process that runs now; 0 when none was seen since the last exit. */
  readonly pid: number
  readonly pidSince: number
  readonly exits: number
  readonly down: boolean
  readonly downSince: number
}

export interface Limits {
  /** Milliseconds that the same process must run, and be healthy, before it is believed. */
  readonly stable: number
  /** Milliseconds after which a kubelet that is not healthy is given up. */
  readonly healthy: number
}

export type Judgement = { readonly kind: 'wait' | 'start' | 'healthy' } | { readonly kind: 'failed'; readonly message: string }

/** A single exit can be bad luck: a container runtime that was restarted a moment ago. The third is the kubelet's last word. */
const EXITS_TO_FAIL = 3
/** Milliseconds to wait before the first and before the second new start. Waiting for the unit's own RestartSec would take 10 s each. */
const PATIENCE = [1000, 4000]

/** @param options.undisturbed nothing was done to the host: how long the kubelet has run already counts in full */
export function watchFrom(at: number, { undisturbed = false } = {}): Watched {
  return {
    startedAt: at,
    countsFrom: undisturbed ? Number.NEGATIVE_INFINITY : at,
    pid: 0,
    pidSince: at,
    exits: 0,
    down: false,
    downSince: at,
  }
}

/** Takes one more look into account. Pure. */
export function observeLook(before: Watched, { at, service }: Look): Watched {
  const runs = service.active === 'active' && service.mainPid !== 0
  if (runs) {
    if (service.mainPid === before.pid) return before
    const replaced = before.pid !== 0
    const pidSince = Math.max(before.countsFrom, at - service.runningFor)
    return { ...before, pid: service.mainPid, pidSince, exits: before.exits + (replaced ? 1 : 0), down: false }
  }
  const exited = service.mainPid === 0 && (service.lastExit !== 0 || before.pid !== 0 || service.active === 'failed')
  if (!exited || before.down) return before
  return { ...before, pid: 0, exits: before.exits + 1, down: true, downSince: at }
}

/** `start`: give it another chance at once. `healthy`: the same process has run and answered for long enough. */
export function judgeHealth(watched: Watched, look: Look, limits: Limits): Judgement {
  if (watched.exits >= EXITS_TO_FAIL) return { kind: 'failed', message: `kubelet exited ${watched.exits} times` }
  const stable = watched.pid !== 0 && look.at - watched.pidSince >= limits.stable
  if (stable && look.health.ok) return { kind: 'healthy' }
  if (look.at - watched.startedAt >= limits.healthy)
    return { kind: 'failed', message: `kubelet was not healthy after ${limits.healthy / 1000} s: ${describe(look)}` }
  const patience = PATIENCE[watched.exits - 1] ?? 0
  return { kind: watched.down && look.at - watched.downSince >= patience ? 'start' : 'wait' }
}

function describe({ service, health }: Look): string {
  return service.active === 'active' ? health.detail : `its service is ${service.active}`
}
