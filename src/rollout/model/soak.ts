import { HEARD_OF_ALL } from './after-outage.ts'
import { countedFrom, type RolloutClock } from './deadlines.ts'
import type { Instant } from './instant.ts'

interface Soak {
  readonly began: Instant
  /** Milliseconds. */
  readonly soak: number
}

/** When it ends. */
export function soakEnds({ began, soak }: Soak, clock: RolloutClock): Instant {
  return (wasWatched({ began, soak }, clock) ? began : countedFrom(began, clock)) + soak
}

/** To its end, by this process or by who led before. */
function wasWatched({ began, soak }: Soak, { soakedAt }: Pick<RolloutClock, 'soakedAt'>): boolean {
  return soakedAt !== undefined && began + soak <= soakedAt
}

/**
 * Before then no soak ends. Who has just begun to watch sees what was so when the API server last took writes: while that was away, no agent
 * could say that its node went bad, and nobody that it fell silent.
 */
export function soakHeardAt(soak: Soak, clock: Pick<RolloutClock, 'now' | 'watchedSince' | 'soakedAt'>): Instant {
  const { now, watchedSince } = clock
  if (watchedSince === undefined || wasWatched(soak, clock)) return Number.NEGATIVE_INFINITY
  return Math.min(watchedSince, now) + Math.min(soak.soak, HEARD_OF_ALL)
}
