import type { RolloutClock } from '../model/deadlines.ts'
import type { NodeView } from '../model/node-view.ts'
import type { NodeTarget } from '../model/snapshot.ts'

/** A node whose Ready condition is older than this has been Ready before. */
const REGISTRATION = 60_000

/** Kubernetes stamps the creation in whole seconds. */
const SECOND = 1000

export interface JoiningContext {
  readonly target: NodeTarget
  /** Absent: the pool has completed nothing yet. */
  readonly stable: NodeTarget | undefined
  readonly clock: RolloutClock
}

/**
 * A young node that was assigned nothing yet gets the stable content at once. Where that cannot be rendered, or a person uncordoned the
 * node rather than have it drained for that, it takes its turn with the others: else no later commit could reach it.
 */
export function isJoining(node: NodeView, { target, stable, clock }: JoiningContext): boolean {
  const { assigned, mark } = node
  if (assigned !== undefined || stable?.kind !== 'config' || !isYoung(node, clock)) return false
  const isOnItsWay = target.kind === 'config' && target.digest !== stable.digest && mark?.digest === target.digest
  return !isOnItsWay && mark?.state !== 'Released'
}

/** It serves nobody yet: never Ready, or created a moment ago, in this rollout. A Ready node that existed before runs pods, whoever labels it into the pool. */
function isYoung({ createdAt, ready, readySince }: NodeView, { now, applyTimeout, rolloutStart }: RolloutClock): boolean {
  const wasNeverReady = !ready && readySince <= createdAt + REGISTRATION
  return wasNeverReady || (createdAt + SECOND > rolloutStart && now - createdAt < applyTimeout)
}
