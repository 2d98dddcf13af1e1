import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

export const returnIsFast: Invariant = {
  claim: 'what the pool has run through before, and did not go back from, comes in one wave',
  ofDecision: (observed) => decidedPools(observed).every(skipsWaves),
}

function skipsWaves({ pool, decision: { status } }: Decided): boolean {
  const { stable, history } = pool.memory
  const { fingerprint } = status.target ?? {}
  const completed = history.find((entry) => entry.result === 'Completed' && entry.fingerprint === fingerprint)
  const isKnown = stable?.fingerprint === fingerprint && history[0]?.fingerprint !== fingerprint && !completed?.abandoned
  return !isKnown || status.wave === undefined || status.wave.count === 1
}
