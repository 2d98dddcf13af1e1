import { isUnderDrain } from '../../../../src/rollout/drain/cordon.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Invariant } from '../invariants.ts'
import { cordonsOf, type Decided, decidedPools, newlyDown, stepsOf } from './steps.ts'

export const brokenFirst: Invariant = {
  claim: 'no sound node is disturbed while one that an unfinished rollout has left down waits',
  ofDecision: (observed) => decidedPools(observed).every(leavesNoneBehind),
}

function leavesNoneBehind(decided: Decided): boolean {
  if (newlyDown(decided).length === 0) return true
  const taken = new Set([...stepsOf(decided), ...cordonsOf(decided)].map(({ node }) => node.name))
  return decided.pool.nodes.every((node) => taken.has(node.name) || isUnderDrain(node) || !isLeftDown(node, decided))
}

function isLeftDown({ assigned, ready, hold }: NodeView, { decision: { status } }: Decided): boolean {
  const good = [status.target, status.stable].map((ref) => ref?.fingerprint)
  return assigned !== undefined && !ready && hold === undefined && !good.includes(`of ${assigned.digest}`)
}
