import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, stepsOf } from './steps.ts'

export const stoppedPools: Invariant = {
  claim: 'a halted or paused pool touches no node, nor does a paused fleet',
  ofDecision: (observed) =>
    decidedPools(observed).every(
      (decided) => (observed.fleet.controls.paused === undefined && !isStopped(decided)) || stepsOf(decided).length === 0,
    ),
}

function isStopped({ pool, decision }: Decided): boolean {
  const isHalt = decision.status.conditions.some(
    ({ type, status, reason }) => type === 'Stalled' && status === 'True' && reason === 'Halted',
  )
  return isHalt || pool.controls.paused !== undefined
}
