import { runs } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, hasEnded } from './steps.ts'

export const currentRunsIt: Invariant = {
  claim: 'no more nodes count as Current than are Ready and have ended this very assignment of the target',
  ofDecision: (observed) => decidedPools(observed).every(countsOnlyTheDone),
}

/** A commit that is withheld, before there was any other, is looked at but not remembered as the target. */
function countsOnlyTheDone({ pool, decision: { status } }: Decided): boolean {
  const { fingerprint } = status.target ?? pool.head
  const done = pool.nodes.filter(
    (node) =>
      node.ready &&
      hasEnded(node) &&
      node.status?.phase === 'Applied' &&
      runs(node.status.active, { fingerprint, labels: node.labels }),
  )
  return status.nodes.current <= done.length
}
