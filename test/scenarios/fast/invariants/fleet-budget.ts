import { isOurCordon } from '../../../../src/rollout/model/cordon.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Invariant } from '../invariants.ts'
import { allowed, decidedPools, isDown, newlyDown } from './steps.ts'

export const fleetBudget: Invariant = {
  claim: 'the fleet has no more nodes down than its maxUnavailable when another one is taken',
  ofDecision(observed) {
    const {
      policy: { maxUnavailable },
      pools,
      strays = [],
    } = observed.fleet
    const more = decidedPools(observed).flatMap(newlyDown).length
    if (maxUnavailable === undefined || more === 0) return true
    const nodes = pools.flatMap((pool) => pool.nodes)
    return nodes.filter(isDown).length + strays.filter(isOurs).length + more <= allowed(maxUnavailable, nodes.length)
  },
}

/** It left its pool while we had it unavailable, or is down since. Nobody ends a proof that was under way. */
export function isOurs({ proof, ...node }: NodeView): boolean {
  const isTouched = node.assigned !== undefined || node.mark !== undefined
  const noted = proof && proof.state !== 'Wanted' ? { proof } : {}
  return isTouched && isDown({ ...node, ...noted, unschedulable: isOurCordon(node) })
}
