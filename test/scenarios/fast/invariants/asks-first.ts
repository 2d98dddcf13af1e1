import type { NodeView, PodView } from '../../../../src/rollout/model/node-view.ts'
import { contentOf, digestFor, fingerprintOf } from '../content.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { waitsForBudget, waitsForFleet } from './budget-order.ts'
import { type Decided, decidedPools, isBegun, isBlocked, newlyDown } from './steps.ts'

/** The same table, row 1. */
export const asksFirst: Invariant = {
  claim:
    'a node that is drained already does not wait for a budget, and while an agent that asks for a greater disruption waits for that of the fleet, no other node gets a place',
  ofDecision: (observed) => decidedPools(observed).every(leavesNoneDrained) && servesAgentsFirst(observed),
}

function leavesNoneDrained(decided: Decided): boolean {
  const { pool, decision } = decided
  if (!waitsForBudget(decided)) return true
  const goneOn = new Set(decision.actions.flatMap((action) => ('node' in action ? action.node : [])))
  return pool.nodes.every((node) => goneOn.has(node.name) || !isDrained(node, decided))
}

/** For the target, so that no pod is left which has to go. */
function isDrained(node: NodeView, { pool, decision: { status } }: Decided): boolean {
  const { name, ready, assigned, labels, mark } = node
  const content = contentOf(mark?.digest ?? '')
  if (!ready || fingerprintOf(content) !== status.target?.fingerprint || !isBegun(node, digestFor(content, labels))) return false
  const found = pool.pods?.get(name)
  return assigned?.digest !== mark?.digest && isFree(node) && found?.kind === 'known' && found.pods.every(mayStay)
}

function mayStay({ controller, mirror, finished }: PodView): boolean {
  return controller === 'DaemonSet' || mirror || finished
}

function servesAgentsFirst(observed: Observed): boolean {
  if (observed.fleet.policy.maxUnavailable === undefined) return true
  const decided = decidedPools(observed)
  if (!decided.some((each) => waitsForFleet(each) && each.pool.nodes.some((node) => asks(node, each)))) return true
  return decided.flatMap(newlyDown).every(({ node }) => isBlocked(node))
}

/** For more than it was granted of what it is to have, and nothing else keeps it. */
function asks(node: NodeView, decided: Decided): boolean {
  const { status } = decided.decision
  const { assigned, labels, mark } = node
  if (assigned === undefined || mark !== undefined || !isBlocked(node) || !isFree(node)) return false
  if (beginsOnceMore(node, decided)) return false
  const isOfTarget = fingerprintOf(assigned.digest) === status.target?.fingerprint
  return isOfTarget && assigned.digest === digestFor(contentOf(assigned.digest), labels)
}

/**
 * In its turn: its agent was silent then, and may have begun late; or the node was down until its time was over; or its time in an earlier rollout
 * is over.
 */
function beginsOnceMore({ assigned, readySince }: NodeView, { at: now, pool, decision: { status } }: Decided): boolean {
  const { nodeWas, at = 0 } = assigned ?? {}
  const { applyTimeout } = pool.policy
  const isOfEarlier = at < Date.parse(status.history[0]?.startedAt ?? '') && now >= at + applyTimeout
  return isOfEarlier || nodeWas === 'Silent' || (nodeWas === 'Down' && readySince >= at + applyTimeout)
}

function isFree({ hold, leaving, assignedByHand }: NodeView): boolean {
  return hold === undefined && !leaving && !assignedByHand
}
