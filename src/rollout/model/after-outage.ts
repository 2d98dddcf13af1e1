import type { Reported } from './availability.ts'
import { deadlineOf, type RolloutClock, silenceEnds } from './deadlines.ts'
import type { Instant } from './instant.ts'
import type { Assignment, NodeView } from './node-view.ts'

/** Milliseconds. A kubelet writes a status that has not changed again after 5 minutes (nodeStatusReportFrequency), or half as long again. */
const REPORTS_AGAIN = 480_000

/**
 * Before then nothing begins to fail for the status of its Node. A restore of etcd brings old statuses back, with a new list, and kubelets,
 * which believe that theirs are written, do not write them at once.
 */
export function reportedAgainAt(clock: Pick<RolloutClock, 'now' | 'listedAt'>): Instant {
  return listedBy(clock) + REPORTS_AGAIN
}

/** The same for a node that is not Ready; one that was seen to go down is so by a new status. */
export function readyHeardAt(
  { readySince }: Pick<NodeView, 'readySince'>,
  clock: Pick<RolloutClock, 'now' | 'listedAt'>,
): Instant {
  return readySince < listedBy(clock) ? reportedAgainAt(clock) : Number.NEGATIVE_INFINITY
}

function listedBy({ now, listedAt = Number.NEGATIVE_INFINITY }: Pick<RolloutClock, 'now' | 'listedAt'>): Instant {
  return Math.min(listedAt, now)
}

/** Milliseconds. In less an agent sees that its API server is back or another one, and a node that is silent is no longer Ready. */
export const HEARD_OF_ALL = 120_000

/** Before then no agent begins to count as late: what became of its work while the API server was away, it could tell nobody. */
export function heardOfAllAt({ now, watchedSince }: Pick<RolloutClock, 'now' | 'watchedSince'>): Instant {
  return watchedSince === undefined ? Number.NEGATIVE_INFINITY : Math.min(watchedSince, now) + HEARD_OF_ALL
}

/**
 * Before then no wave opens behind one that had soaked before the API server was away, or before this process began: its agents had no time
 * yet to report what happened meanwhile.
 * @param soak of the wave, in milliseconds
 */
export function waveHeardAt(soak: number, { now, watchedSince, steadySince }: RolloutClock): Instant {
  const since = Math.max(watchedSince ?? Number.NEGATIVE_INFINITY, steadySince ?? Number.NEGATIVE_INFINITY)
  return Math.min(since, now) + Math.min(soak, HEARD_OF_ALL)
}

/** When the assigned work counts as late. */
export function lateFrom(assigned: Assignment, clock: RolloutClock): Instant {
  return Math.max(deadlineOf(assigned, clock), heardOfAllAt(clock))
}

/** When the work on an assignment is overdue that has not ended: it counts as late, or its agent as silent. */
export function overdueFrom({ node, report }: Reported, assigned: Assignment, clock: RolloutClock): Instant {
  return node.ready && report === undefined ? silentFrom(assigned, clock) : lateFrom(assigned, clock)
}

/** When an agent that has said nothing about its assignment counts as silent. */
export function silentFrom(assigned: Assignment, clock: RolloutClock): Instant {
  return Math.max(silenceEnds(assigned, clock), heardOfAllAt(clock))
}
