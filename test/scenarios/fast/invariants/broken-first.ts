import { isUnderDrain } from '../../../../src/rollout/model/cordon.ts'
import type { Decision } from '../../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { fingerprintOf, problemFor } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { cordonsOf, type Decided, decidedPools, hasEnded, isBlocked, isJoining, isRendered, newlyDown, stepsOf } from './steps.ts'

export const brokenFirst: Invariant = {
  claim:
    'no sound node is disturbed while one that an unfinished rollout has left down waits, where there is something proven to give it',
  ofDecision: (observed) => decidedPools(observed).every(leavesNoneBehind),
}

function leavesNoneBehind(decided: Decided): boolean {
  const { stable, rejected } = decided.decision.status
  const hasStable = isRendered(stable, decided.pool) && rejected.every(({ fingerprint }) => fingerprint !== stable?.fingerprint)
  // A new node serves nobody yet: it gets what is proven in a closed window, too, when a repair waits.
  if (!hasStable || newlyDown(decided).every(({ node }) => isJoining(node, decided))) return true
  const taken = new Set([...stepsOf(decided), ...cordonsOf(decided)].map(({ node }) => node.name))
  return decided.pool.nodes.every((node) => taken.has(node.name) || isUnderDrain(node) || !isLeftDown(node, decided))
}

const MINUTE = 60_000

/** Not Ready for a minute, at what is neither proven nor the target nor has completed, and its work is over or overdue. */
function isLeftDown(node: NodeView, { at, pool, decision: { status } }: Decided): boolean {
  const { assigned, assignedByHand, ready, hold, leaving, labels } = node
  if (assigned === undefined || ready || problemFor(labels)) return false
  // Left alone whatever runs on them.
  if (assignedByHand || leaving || hold !== undefined) return false
  const good = [status.target, status.stable].map((ref) => ref?.fingerprint)
  const isOver = hasEnded(node) || at >= (assigned.at ?? at) + pool.policy.applyTimeout
  return isOver && !isBlinking(node, at) && !good.includes(fingerprintOf(assigned.digest)) && !hasCompleted(node, status)
}

/** A newer commit passed it by. What the pool has gone back from is not proven any more. */
function hasCompleted({ assigned, status, proof }: NodeView, { history }: Decision['status']): boolean {
  if (assigned === undefined || status?.phase !== 'Applied' || proof?.state === 'Failed') return false
  const run = history.find(
    ({ result, revision, commits = [] }) => result === 'Completed' && [revision, ...commits].includes(assigned.revision),
  )
  return run !== undefined && !run.abandoned
}

/** Its agent waits, or has ended its work, and it has served with that: it may be back any moment. */
function isBlinking(node: NodeView, at: Instant): boolean {
  if (!(hasEnded(node) || isBlocked(node)) || node.proof?.state === 'Failed') return false
  return at < node.readySince + MINUTE && node.readySince < at + MINUTE
}
