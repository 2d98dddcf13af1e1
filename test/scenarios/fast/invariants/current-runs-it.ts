import { runs } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, hasEnded, isRendered } from './steps.ts'

export const currentRunsIt: Invariant = {
  claim: 'no more nodes count as Current than are Ready and have ended this very assignment of the target',
  ofDecision: (observed) => decidedPools(observed).every(countsOnlyTheDone),
}

/**
 * A commit that is withheld is looked at but not remembered as the target, where there was no other before, or where the cluster keeps that
 * one no more.
 */
function countsOnlyTheDone({ pool, decision: { status } }: Decided): boolean {
  const { fingerprint } = status.target && isRendered(status.target, pool) ? status.target : pool.head
  const done = pool.nodes.filter(
    (node) =>
      node.ready &&
      hasEnded(node) &&
      node.status?.phase === 'Applied' &&
      runs(node.status.active, { fingerprint, labels: node.labels }),
  )
  return status.nodes.current <= done.length
}
