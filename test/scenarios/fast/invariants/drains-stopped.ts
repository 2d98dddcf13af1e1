import { isOurCordon } from '../../../../src/rollout/model/cordon.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe } from '../when-assigned.ts'
import { type Decided, decidedPools, hasEnded, isBlocked, stepsOf } from './steps.ts'

/** docs/operations.md, under "Pause and resume". */
export const drainsStopped: Invariant = {
  claim:
    'while a pause stops drains, no pod is evicted, no drained node is assigned anything, and the nodes under drain are uncordoned',
  ofDecision: (observed) =>
    decidedPools(observed).every(
      (decided) => !stopsDrains(decided, observed) || (disturbsNone(decided) && uncordonsAll(decided)),
    ),
}

function stopsDrains({ pool: { controls } }: Decided, { fleet }: Observed): boolean {
  return [controls, fleet.controls].some(({ paused, stopDrains }) => paused !== undefined && stopDrains)
}

function disturbsNone(decided: Decided): boolean {
  return decided.decision.actions.every(({ kind }) => kind !== 'evict') && stepsOf(decided).every(({ node }) => !isDrained(node))
}

function uncordonsAll({ pool: { nodes }, decision: { actions } }: Decided): boolean {
  const uncordoned = new Set(actions.flatMap((action) => (action.kind === 'uncordon' && action.lifts ? [action.node] : [])))
  return nodes.every((node) => !isDrained(node) || uncordoned.has(node.name))
}

/** Its agent is not at work, and it is healthy: others stay cordoned. */
function isDrained(node: NodeView): boolean {
  const { ready, leaving, assigned } = node
  const isAtWork = assigned !== undefined && !hasEnded(node) && !isBlocked(node)
  return isOurCordon(node) && !isAtWork && ready && !leaving && !doesNotServe(node)
}
