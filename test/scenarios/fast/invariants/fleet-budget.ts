import type { Invariant } from '../invariants.ts'
import { allowed, decidedPools, isDown, newlyDown } from './steps.ts'

export const fleetBudget: Invariant = {
  claim: 'the fleet has no more nodes down than its maxUnavailable when another one is taken',
  ofDecision(observed) {
    const {
      policy: { maxUnavailable },
      pools,
    } = observed.fleet
    const more = decidedPools(observed).flatMap(newlyDown).length
    if (maxUnavailable === undefined || more === 0) return true
    const nodes = pools.flatMap((pool) => pool.nodes)
    return nodes.filter(isDown).length + more <= allowed(maxUnavailable, nodes.length)
  },
}
