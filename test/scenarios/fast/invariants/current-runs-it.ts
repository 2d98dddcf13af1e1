import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, hasEnded } from './steps.ts'

export const currentRunsIt: Invariant = {
  claim: 'no more nodes count as Current than are Ready and have ended this very assignment of the target',
  ofDecision: (observed) => decidedPools(observed).every(countsOnlyTheDone),
}

function countsOnlyTheDone({ pool, decision: { status } }: Decided): boolean {
  const done = pool.nodes.filter(
    (node) =>
      node.ready &&
      hasEnded(node) &&
      node.status?.phase === 'Applied' &&
      `of ${node.status.active}` === status.target?.fingerprint,
  )
  return status.nodes.current <= done.length
}
