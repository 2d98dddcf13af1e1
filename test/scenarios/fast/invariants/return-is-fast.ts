import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

export const returnIsFast: Invariant = {
  claim: 'what the pool has run through before comes in one wave',
  ofDecision: (observed) => decidedPools(observed).every(skipsWaves),
}

function skipsWaves({ pool, decision: { status } }: Decided): boolean {
  const { stable, history } = pool.memory
  const isKnown = stable?.fingerprint === status.target?.fingerprint && history[0]?.fingerprint !== status.target?.fingerprint
  return !isKnown || status.wave === undefined || status.wave.count === 1
}
