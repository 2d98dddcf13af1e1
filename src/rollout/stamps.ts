import type { Assignment, Instant, NodeView } from './snapshot.ts'

/** What durations are measured against. */
export interface RunClock {
  readonly now: Instant
  /** When the run under way began; never in the future. */
  readonly runStart: Instant
  /** Milliseconds. */
  readonly applyTimeout: number
}

/** Kubernetes stamps conditions in whole seconds. */
const SECOND = 1000

/** When the assigned work counts as overdue. */
export function deadlineOf(assigned: Assignment, clock: RunClock): Instant {
  return workBegan(assigned, clock) + clock.applyTimeout
}

/** It was not Ready when it got its assignment, and has not been since: what follows is no verdict on the configuration. */
export function wasDownBefore({ ready, readySince }: NodeView, assigned: Assignment, clock: RunClock): boolean {
  return !ready && readySince + SECOND <= workBegan(assigned, clock)
}

/**
 * The latest of stamps by the node's clock, which may be wrong. None can precede the assignment; and when one lies in the
 * future, or is no date, all that is sure is that the work ended before its deadline.
 */
export function latestOf(
  stamps: readonly Instant[],
  { assigned, clock }: { readonly assigned: Assignment; readonly clock: RunClock },
): Instant {
  const latest = Math.max(workBegan(assigned, clock), ...stamps)
  return latest <= clock.now ? latest : deadlineOf(assigned, clock)
}

/** A stamp in the future was made before a clock was put back: then the run's own start stands for it. */
function workBegan({ at }: Assignment, { now, runStart }: RunClock): Instant {
  if (at === undefined) return now
  return at <= now ? at : runStart
}
