import type { ServiceState } from '../ports.ts'

/** What the looks so far have shown of one unit. Milliseconds are monotonic, but for `startedAt`. */
export interface ProcessRecord {
  /** What a process ran before that proves nothing: the host was changed then. */
  readonly countsFrom: number
  /** Of the process that runs now; 0 when none was seen since the last exit. */
  readonly pid: number
  readonly pidSince: number
  /** Wall clock, when that process was started. */
  readonly startedAt: number
  readonly exits: number
  readonly down: boolean
  readonly downSince: number
}

export interface ProcessLook {
  readonly at: number
  /** Wall clock. */
  readonly now: number
  readonly service: ServiceState
}

/** Stands for a unit that runs without a main process, as one of type oneshot that remains after its exit. */
const NO_PROCESS = -1

/** @param countsFrom monotonic milliseconds */
export function recordFrom(countsFrom: number, at: number): ProcessRecord {
  return { countsFrom, pid: 0, pidSince: at, startedAt: 0, exits: 0, down: false, downSince: at }
}

/** Takes one more look into account. Pure. */
export function observeProcess(before: ProcessRecord, look: ProcessLook): ProcessRecord {
  const { at, now, service } = look
  if (service.active === 'active') {
    const pid = service.mainPid === 0 ? NO_PROCESS : service.mainPid
    // A clock that is set back moves the start with it; one that is set forward must not.
    const startedAt = now - service.runningFor
    if (pid === before.pid) return { ...before, startedAt: Math.min(before.startedAt, startedAt) }
    const exits = before.exits + (before.pid === 0 ? 0 : 1)
    return { ...before, pid, pidSince: Math.max(before.countsFrom, at - service.runningFor), startedAt, exits, down: false }
  }
  const exited = service.mainPid === 0 && (service.lastExit !== 0 || before.pid !== 0 || service.active === 'failed')
  if (!exited || before.down) return before
  return { ...before, pid: 0, exits: before.exits + 1, down: true, downSince: at }
}

/** The same process has run for long enough. */
export function isStable(record: ProcessRecord, at: number, stable: number): boolean {
  return record.pid !== 0 && at - record.pidSince >= stable
}
