import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

/** Who waits for Ready goes on at that moment, and schedules pods. */
export const readyIsDone: Invariant = {
  claim: 'a pool that says Ready has nothing left to do to its nodes',
  ofDecision: (observed) => decidedPools(observed).every((decided) => !saysReady(decided) || leavesNodesAlone(decided)),
}

const DISTURBING: ReadonlySet<string> = new Set(['assign', 'cordon', 'evict'])

function saysReady({ decision: { status } }: Decided): boolean {
  return status.conditions.some(({ type, status: holds }) => type === 'Ready' && holds === 'True')
}

function leavesNodesAlone({ decision: { actions } }: Decided): boolean {
  return !actions.some((action) => DISTURBING.has(action.kind) || (action.kind === 'uncordon' && action.lifts))
}
