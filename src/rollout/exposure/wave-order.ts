import { isInFlight } from '../model/agent-report.ts'
import type { Reported } from '../model/availability.ts'
import { asideOf, isUnderDrain, skippedAt } from '../model/cordon.ts'
import type { RolloutClock } from '../model/deadlines.ts'
import { hasLostItsPlace, isEvidence } from '../model/evidence.ts'
import type { Instant } from '../model/instant.ts'
import type { RolloutPolicy } from '../model/policy.ts'
import type { NodeTarget } from '../model/snapshot.ts'
import { type Condition, isBlinking, needsRepair } from './condition.ts'
import { isDownForLong } from './past-draining.ts'
import type { PlacedCandidate } from './waves.ts'

export interface OrderSubject extends Reported {
  readonly target: NodeTarget
  readonly stable: NodeTarget | undefined
  readonly condition: Condition
  readonly assigned: boolean
  readonly isExposed: boolean
  /** It has an assignment of the target that came back from a backup, and its host runs what it had accepted later. */
  readonly isRefused: boolean
  /** It has the target from an earlier try of it, which did not complete, and has not failed with it. */
  readonly wasTried: boolean
  readonly changes: boolean
}

export interface OrderContext {
  readonly policy: RolloutPolicy
  readonly clock: RolloutClock
}

/**
 * Who comes first into a wave. Exposed: this rollout assigned them the target, or an earlier try of it did and they are well, or still at work on
 * it, so that neither a later change nor a retry moves the exposure to others. Refused: their hosts do not take it, and one may have been exposed
 * before. Broken: they are unavailable, cost no budget, and may block the others by what they use of it. Undone: broken, but they serve. Draining:
 * they are cordoned already. Late: they came since the rollout began. Skipped: their drain was given up, and may be tried again, be they broken or
 * not. Unchanged: the target is what they have, and proves nothing on them.
 */
const ORDER = [
  'Exposed',
  'Refused',
  'Broken',
  'Undone',
  'Draining',
  'Ready',
  'Late',
  'Skipped',
  'InFlight',
  'Down',
  'Unchanged',
] as const

export function rankOf(facts: OrderSubject, context: OrderContext): number {
  return ORDER.indexOf(classOf(facts, context))
}

const EXPOSED = ORDER.indexOf('Exposed')
const SKIPPED = ORDER.indexOf('Skipped')

/** When it came to its rank, where that counts. */
export function sinceOf({ node, isExposed }: OrderSubject, rank: number): Instant | undefined {
  if (isExposed || rank === EXPOSED) return node.assigned?.at
  return rank === SKIPPED ? node.mark?.at : undefined
}

function classOf(facts: OrderSubject, { policy, clock }: OrderContext): (typeof ORDER)[number] {
  const { node, condition, target, stable, assigned, isExposed, isRefused, changes, wasTried } = facts
  if (isExposed || (wasTried && assigned && keepsPlace(facts, clock))) return 'Exposed'
  if (isRefused) return 'Refused'
  if (assigned || !changes) return 'Unchanged'
  const broken = condition === 'Broken'
  // Outside its wave it would be repaired by the stable content: where there is none, the target is tried again.
  const isTriedAgain = broken && (!node.ready || stable === undefined)
  const wasSkipped = !isTriedAgain && skippedAt(node, target) !== undefined
  const aside = asideOf({ node, wanted: target, broken }, { policy, now: clock.now })
  if (broken && !aside && !wasSkipped) return needsRepair(facts) ? 'Broken' : 'Undone'
  if (isUnderDrain(node) && !wasSkipped && !isDownSinceDrain(facts, clock)) return 'Draining'
  if (condition === 'InFlight') return 'InFlight'
  if (condition === 'Down' || aside) return 'Down'
  if (wasSkipped) return 'Skipped'
  return node.createdAt > clock.rolloutStart ? 'Late' : 'Ready'
}

/** It is well with what it has from an earlier try, or, sound before that, has still to end it: that may take it down for a while. */
function keepsPlace({ node, report, condition }: OrderSubject, clock: RolloutClock): boolean {
  if (condition === 'Sound' || isBlinking({ node, report }, clock)) return true
  return isInFlight(node, report) && isEvidence({ node, report }, clock)
}

/** It is down for long since it was drained for another commit, and stays cordoned until it is Ready. */
function isDownSinceDrain({ node, target }: OrderSubject, clock: RolloutClock): boolean {
  return target.kind === 'config' && target.digest !== node.mark?.digest && isDownForLong(node, clock)
}

/**
 * The place that a node takes in its wave. Sound nodes and unsound ones have as many each as the wave has; one that was assigned the
 * target, had its chance and is no evidence (Tried) gives its place to another.
 */
export function placeOf(facts: OrderSubject, { clock }: Pick<OrderContext, 'clock'>): PlacedCandidate['place'] {
  const { isExposed, condition, node, report } = facts
  const isUndone = condition === 'Broken' && node.ready && report?.phase === 'RolledBack'
  if (!isExposed) return condition === 'Sound' || isUndone ? 'Sound' : 'Unsound'
  if (isEvidence(facts, clock)) return 'Sound'
  return hasLostItsPlace(facts, clock) ? 'Tried' : 'Unsound'
}
