import { isUnderDrain } from '../../../../src/rollout/model/cordon.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { contentOf, digestFor, fingerprintOf, problemFor } from '../content.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { isExposed, isSound, speaksOf } from './canary-exposure.ts'
import { isOurs } from './fleet-budget.ts'
import { allowed, type Decided, decidedPools, hasEnded, isBlocked, isDown, isRendered, newlyDown, stepsOf } from './steps.ts'

/** The same table, rows 5 and 6, of pools whose first wave is a count and has enough sound nodes: all others are no members. */
export const inPlacesOfMembers: Invariant = {
  claim:
    'a node in flight, or down, gets the target in the place of a member only while no place is free; one that is down waits for work that is about to free one',
  ofDecision: (observed) => decidedPools(observed).every((decided) => keepsTheOrder(decided, observed)),
}

function keepsTheOrder(decided: Decided, observed: Observed): boolean {
  if (!hasEnoughMembers(decided)) return true
  const content = contentOfTarget(decided)
  const given = stepsOf(decided).filter(({ node, digest }) => contentOf(digest) === content && !hasTarget(node, decided))
  if (given.some(({ node }) => isInFlight(node, decided)) && !isUsedUp(decided, observed)) return false
  const isLast = given.some(({ node }) => isDownForLong(node, decided))
  return !isLast || (isUsedUp(decided, observed) && !freesOne(decided, observed))
}

function hasEnoughMembers(decided: Decided): boolean {
  const { pool, decision } = decided
  const [first] = pool.policy.waves
  const { wave, history } = decision.status
  if (!first || !('count' in first.nodes) || wave?.index !== 1 || wave.count < 2 || wave.name !== first.name) return false
  return history[0]?.result === 'Running' && pool.nodes.filter((node) => isFit(node, decided)).length >= first.nodes.count
}

/** A sound node that runs what is proven, and that nothing keeps. */
function isFit(node: NodeView, decided: Decided): boolean {
  const { hold, leaving, assignedByHand, unschedulable, mark, labels } = node
  if (hold !== undefined || leaving || assignedByHand || unschedulable || mark !== undefined || problemFor(labels)) return false
  return isSound(node) && !isBlocked(node) && isAtStable(node, decided)
}

/** As that is for its labels: one that went down before it got what they are now counts as broken. */
function isAtStable({ assigned, labels }: NodeView, { pool, decision: { status } }: Decided): boolean {
  // Where the ConfigMap of its commit is gone, nothing shows that a node has the stable content.
  if (assigned === undefined || !isRendered(status.stable, pool)) return false
  const { stable, target, rejected } = status
  // Stable content that has failed since is not known to work, and a node that goes down with it is broken.
  if (rejected.some(({ fingerprint }) => fingerprint === stable?.fingerprint)) return false
  if (stable?.fingerprint === target?.fingerprint) return false
  const content = contentOf(assigned.digest)
  return fingerprintOf(content) === stable?.fingerprint && assigned.digest === digestFor(content, labels)
}

function contentOfTarget({ decision: { status } }: Decided): string | undefined {
  return status.target?.fingerprint.slice('of '.length)
}

function hasTarget(node: NodeView, decided: Decided): boolean {
  const [run] = decided.decision.status.history
  return run !== undefined && isExposed(node, { content: contentOfTarget(decided), run, pool: decided.pool.name })
}

/** At work on what is neither the target nor proven, and in time. One that is drained already goes on, by row 1. */
function isInFlight(node: NodeView, decided: Decided): boolean {
  const { assigned } = node
  if (assigned === undefined || isUnderDrain(node) || isAtStable(node, decided)) return false
  return contentOf(assigned.digest) !== contentOfTarget(decided) && isWorking(node, decided)
}

/** An agent that says nothing of its work counts as silent before it counts as late. */
function isWorking(node: NodeView, { at, pool: { policy } }: Decided): boolean {
  const { assigned, status } = node
  const { at: since = Number.NaN } = assigned ?? {}
  const { applyTimeout, agentTimeout = applyTimeout } = policy
  const longest = status && speaksOf(status, assigned) ? applyTimeout : Math.min(agentTimeout, applyTimeout)
  return !hasEnded(node) && status?.phase !== 'Failed' && !isBlocked(node) && since <= at && at < since + longest
}

/** And not drained already. */
function isDownForLong(node: NodeView, decided: Decided): boolean {
  const { ready, readySince } = node
  return !ready && !isUnderDrain(node) && isAtStable(node, decided) && decided.at >= readySince + decided.pool.policy.applyTimeout
}

/** Of the pool, or of the fleet. A zone may keep others from beginning, too. */
function isUsedUp(decided: Decided, observed: Observed): boolean {
  if (decided.pool.policy.zones === 'OneAtATime') return true
  return freeInPool(decided) <= 0 || freeInFleet(observed) <= 0
}

function freeInPool(decided: Decided): number {
  const { nodes, policy } = decided.pool
  return allowed(policy.maxUnavailable, nodes.length) - nodes.filter(isDown).length - newlyDown(decided).length
}

function freeInFleet(observed: Observed): number {
  const { policy, pools, strays = [] } = observed.fleet
  if (policy.maxUnavailable === undefined) return Number.POSITIVE_INFINITY
  const nodes = pools.flatMap((pool) => pool.nodes)
  const more = decidedPools(observed).flatMap(newlyDown).length
  return allowed(policy.maxUnavailable, nodes.length) - nodes.filter(isDown).length - strays.filter(isOurs).length - more
}

/** A healthy node of the pool is at work; or the fleet alone lacks a place, and one of another pool is about to give it back. */
function freesOne(decided: Decided, observed: Observed): boolean {
  const healthy = (each: Decided): number => each.pool.nodes.filter((node) => isAtIt(node, each)).length
  if (healthy(decided) > 0) return true
  if (freeInPool(decided) <= 0 || decided.pool.policy.zones === 'OneAtATime') return false
  const others = decidedPools(observed).filter((each) => each !== decided)
  return freeInFleet(observed) + others.reduce((sum, each) => sum + healthy(each), 0) > 0
}

/** On the target of its pool. */
function isAtIt(node: NodeView, decided: Decided): boolean {
  return node.ready && !node.unschedulable && hasTarget(node, decided) && isWorking(node, decided)
}
