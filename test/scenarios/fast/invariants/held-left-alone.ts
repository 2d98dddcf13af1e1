import type { Action } from '../../../../src/rollout/model/decision.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

/** Its cordon is taken back all the same, and a change that its agent has ended is proved. */
const TAKING_PART: ReadonlySet<Action['kind']> = new Set(['assign', 'cordon', 'evict'])

export const heldLeftAlone: Invariant = {
  claim: 'a node that a person holds keeps what it has: it is given nothing, and nobody drains it',
  ofDecision: (observed) => decidedPools(observed).every(leavesHeldAlone),
}

function leavesHeldAlone({ pool, decision: { actions } }: Decided): boolean {
  if (actions.length === 0) return true
  const held = new Set(pool.nodes.filter(({ hold }) => hold !== undefined).map(({ name }) => name))
  return actions.every((action) => !('node' in action && held.has(action.node) && TAKING_PART.has(action.kind)))
}
