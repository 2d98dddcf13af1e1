import type { Invariant } from '../invariants.ts'
import { cordonsOf, type Decided, decidedPools, isBegun, stepsOf } from './steps.ts'

export const stoppedPools: Invariant = {
  claim: 'a halted or paused pool takes no node, nor does a paused fleet; what is halted ends no drain either',
  ofDecision: (observed) =>
    decidedPools(observed).every((decided) => {
      const { pool, decision } = decided
      if (isHalted(decided)) return decision.actions.every(({ kind }) => !['assign', 'cordon', 'evict'].includes(kind))
      const isPaused = pool.controls.paused !== undefined || observed.fleet.controls.paused !== undefined
      const begun = [...stepsOf(decided).filter(({ node, digest }) => !isBegun(node, digest)), ...cordonsOf(decided)]
      return !isPaused || begun.length === 0
    }),
}

function isHalted({ decision }: Decided): boolean {
  return decision.status.conditions.some(
    ({ type, status, reason }) => type === 'Stalled' && status === 'True' && reason === 'Halted',
  )
}
