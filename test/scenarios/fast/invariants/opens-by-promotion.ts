import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

export const opensByPromotion: Invariant = {
  claim: 'a manual wave opens by promotion alone',
  ofDecision: (observed) => decidedPools(observed).every(waitsForPromotion),
}

function waitsForPromotion({ pool, decision }: Decided): boolean {
  const { wave, target } = decision.status
  const goesOn = pool.memory.target?.fingerprint === target?.fingerprint
  const before = goesOn ? (pool.memory.wave?.opened ?? []) : []
  const opened = pool.policy.waves.filter(({ name }) => wave?.opened?.includes(name) && !before.includes(name))
  return opened.every(({ manual }) => !manual) || (target !== undefined && promotedContent(pool, target) === target.fingerprint)
}

/** The content of the commit that the operator named: it is known for as long as that commit is the newest, or the target. */
function promotedContent(
  { controls: { promoted }, head, memory }: Decided['pool'],
  target: Decided['decision']['status']['target'],
): string | undefined {
  const named = [head, memory.target, target].find((ref) => ref?.revision === promoted)
  return named?.fingerprint ?? (memory.promotion?.value === promoted ? memory.promotion?.fingerprint : undefined)
}
