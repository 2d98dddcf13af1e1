import { isForeignCordon, isUnderDrain } from '../../../../src/rollout/model/cordon.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { stampOf } from '../stamp.ts'
import { doesNotServe } from '../when-assigned.ts'
import { allowed, cordonsOf, type Decided, decidedPools, hasEnded, isBlocked, isJoining, stepsOf } from './steps.ts'

/** They cost no place, since they are unavailable already; their pods may still run. */
export const idleLimit: Invariant = {
  claim: 'no more idle nodes change at once than may be unavailable in their pool, and in the fleet',
  ofDecision: (observed) => decidedPools(observed).every(keepsLimit) && keepsFleetLimit(observed),
}

function keepsLimit(decided: Decided): boolean {
  const { nodes, policy } = decided.pool
  const selected = selectedIdle(decided).length
  return selected === 0 || selected + changingIdle(decided).length <= allowed(policy.maxUnavailable, nodes.length)
}

function keepsFleetLimit(observed: Observed): boolean {
  const { maxUnavailable } = observed.fleet.policy
  const decided = decidedPools(observed)
  const selected = decided.flatMap(selectedIdle).length
  if (maxUnavailable === undefined || selected === 0) return true
  const nodes = decided.reduce((sum, { pool }) => sum + pool.nodes.length, 0)
  return selected + decided.flatMap(changingIdle).length <= allowed(maxUnavailable, nodes)
}

/** For content that it does not run. */
function selectedIdle(decided: Decided): NodeView[] {
  const begun = [...stepsOf(decided), ...cordonsOf(decided)].filter(({ node, digest }) => {
    return isIdle(node, decided) && !isChanging(node) && node.status?.active !== digest && !isJoining(node, decided)
  })
  return begun.map(({ node }) => node)
}

function changingIdle(decided: Decided): NodeView[] {
  return decided.pool.nodes.filter((node) => isIdle(node, decided) && isChanging(node))
}

/**
 * Not Ready for a short time, or cordoned by a person while pods run on it. What a change has failed on, and is not Ready, is repaired at once.
 * A node under drain has its place.
 */
function isIdle(node: NodeView, { at, pool }: Decided): boolean {
  if (isUnderDrain(node)) return false
  return node.ready
    ? isForeignCordon(node) && !doesNotServe(node)
    : !hasFailed(node) && at < node.readySince + pool.policy.applyTimeout
}

/** Or what was assigned before, and this assignment has not healed it. */
function hasFailed({ assigned, status }: NodeView): boolean {
  if (assigned === undefined) return false
  const answer = status?.assignedAt === stampOf(assigned) ? status.phase : undefined
  if (answer === 'RolledBack' || answer === 'Failed') return true
  return assigned.nodeWas === 'Unsound' && answer !== 'Applied'
}

function isChanging(node: NodeView): boolean {
  return node.assigned !== undefined && !hasEnded(node) && !isBlocked(node)
}
