import { ASSIGNMENT_REPLAYED } from '../../../../src/protocol/agent-status.ts'
import type { HistoryEntry } from '../../../../src/protocol/node-pool.ts'
import type { Invariant } from '../invariants.ts'
import { stampOf } from '../stamp.ts'
import { wasFitWhenAssigned } from '../when-assigned.ts'
import { type Decided, decidedPools, type Step, stepsOf } from './steps.ts'

export const noRetryByItself: Invariant = {
  claim: 'what failed on a sound node is not given to it again in the same rollout before a person asks for a retry',
  ofDecision: (observed) => decidedPools(observed).every(retriesNothing),
}

function retriesNothing(decided: Decided): boolean {
  const { pool, decision } = decided
  const [before, run] = [pool.memory.history[0], decision.status.history[0]]
  if (run === undefined || before?.startedAt !== run.startedAt) return true
  if (pool.memory.observedControls?.retry !== decision.status.observedControls?.retry) return true
  return stepsOf(decided).every((step) => !isFailedTry(step, run, decided))
}

/** By a clock that was put back since, an assignment may be older than the rollout. */
function isFailedTry({ node, digest, reboots }: Step, run: HistoryEntry, { at: now }: Decided): boolean {
  const { assigned, status } = node
  if (reboots || assigned?.digest !== digest || status?.assignedAt !== stampOf(assigned)) return false
  const { at = 0 } = assigned
  if (status.error?.reason === ASSIGNMENT_REPLAYED) return false
  if (at < Date.parse(run.retriedAt ?? run.startedAt) || at > now) return false
  return wasFitWhenAssigned(assigned) && (status.phase === 'RolledBack' || status.phase === 'Failed')
}
