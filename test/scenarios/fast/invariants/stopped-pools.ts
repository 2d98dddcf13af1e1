import { reportOf } from '../../../../src/rollout/model/agent-report.ts'
import { isUnavailable } from '../../../../src/rollout/model/availability.ts'
import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { cordonsOf, type Decided, decidedPools, isBegun, type Step, stepsOf } from './steps.ts'

export const stoppedPools: Invariant = {
  claim:
    'a halted or paused pool takes no node, nor does a paused fleet; what is halted ends no drain either, and mends what does not serve once a newer commit waits',
  ofDecision: (observed) =>
    decidedPools(observed).every((decided) => {
      const { pool, decision } = decided
      if (isHalted(decided) && !decision.actions.every(({ kind }) => kind !== 'cordon' && kind !== 'evict')) return false
      if (isHalted(decided) && !stepsOf(decided).every((step) => isMended(step, decided))) return false
      const isPaused = pool.controls.paused !== undefined || observed.fleet.controls.paused !== undefined
      const begun = [...stepsOf(decided), ...cordonsOf(decided)].filter(({ node, digest }) => !isBegun(node, digest))
      return !isPaused || begun.length === 0
    }),
}

/** It is unavailable, and gets what is proven. */
function isMended({ node, digest }: Step, { pool, decision: { status } }: Decided): boolean {
  const isSuperseded = status.rejected.every(({ fingerprint }) => fingerprint !== pool.head.fingerprint)
  const isAway = isUnavailable(node, reportOf(node))
  return isSuperseded && isAway && node.assigned !== undefined && status.stable?.fingerprint === fingerprintOf(digest)
}

function isHalted({ decision }: Decided): boolean {
  return decision.status.conditions.some(
    ({ type, status, reason }) => type === 'Stalled' && status === 'True' && reason === 'Halted',
  )
}
