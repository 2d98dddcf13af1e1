import type { Invariant } from '../invariants.ts'
import { decidedPools, hasEnded, type Step, stepsOf } from './steps.ts'

export const assignsOnce: Invariant = {
  claim: 'each node is assigned once in a pass, and not what it has',
  ofDecision(observed) {
    const steps = decidedPools(observed).flatMap(stepsOf)
    return new Set(steps.map(({ node }) => node.name)).size === steps.length && steps.every(isNews)
  },
}

/** What no pod could run with is tried once more when an operator asks for it. */
function isNews({ node, digest, reboots }: Step): boolean {
  if (reboots) return true
  if (node.proof?.state === 'Failed') return true
  return node.assigned?.digest !== digest || !(hasEnded(node) && node.status?.phase === 'Applied')
}
