import type { Invariant } from '../invariants.ts'
import { allowed, type Decided, decidedPools, isDown, newlyDown } from './steps.ts'

export const poolBudget: Invariant = {
  claim: 'no pool has more nodes down than its maxUnavailable when another one is taken',
  ofDecision: (observed) => decidedPools(observed).every(keepsBudget),
}

function keepsBudget(decided: Decided): boolean {
  const { nodes, policy } = decided.pool
  const more = newlyDown(decided).length
  return more === 0 || nodes.filter(isDown).length + more <= allowed(policy.maxUnavailable, nodes.length)
}
