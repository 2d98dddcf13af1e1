import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

export const opensByPromotion: Invariant = {
  claim: 'a manual wave opens by promotion alone',
  ofDecision: (observed) => decidedPools(observed).every(waitsForPromotion),
}

function waitsForPromotion({ pool, decision }: Decided): boolean {
  const { wave, target } = decision.status
  const goesOn = pool.memory.target?.fingerprint === target?.fingerprint
  const before = goesOn ? (pool.memory.wave?.index ?? 1) : 1
  const opened = pool.policy.waves.slice(before, wave?.index ?? 0)
  return opened.every(({ manual }) => !manual) || pool.controls.promoted === target?.revision
}
