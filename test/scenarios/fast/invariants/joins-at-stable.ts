import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, stepsOf } from './steps.ts'

export const joinsAtStable: Invariant = {
  claim: 'a node that joins a pool with something proven is given that, and nothing on trial',
  ofDecision: (observed) => decidedPools(observed).every(givesProven),
}

function givesProven(decided: Decided): boolean {
  const { status } = decided.decision
  const proven = [status.stable, decided.pool.memory.stable].map((ref) => ref?.fingerprint)
  const isRejected = status.rejected.some(({ fingerprint }) => fingerprint === status.stable?.fingerprint)
  if (status.stable === undefined || isRejected) return true
  return stepsOf(decided).every(({ node, digest }) => node.assigned !== undefined || proven.includes(`of ${digest}`))
}
