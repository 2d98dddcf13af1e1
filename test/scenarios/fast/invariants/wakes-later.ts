import type { Invariant } from '../invariants.ts'

export const wakesLater: Invariant = {
  claim: 'the next pass that a decision asks for is later than it',
  ofDecision: ({ decisions, at }) => [...decisions.values()].every(({ wakeAt }) => wakeAt === undefined || wakeAt > at),
}
