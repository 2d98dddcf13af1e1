import type { RevisionRef } from '../../../../src/protocol/node-pool.ts'
import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { cordonsOf, type Decided, decidedPools, isJoining, type Step, stepsOf } from './steps.ts'

export const joinsAtStable: Invariant = {
  claim:
    'a young node that joins a pool with something proven is given that, and nothing on trial, unless a person called that off',
  ofDecision: (observed) => decidedPools(observed).every(givesProven),
}

function givesProven(decided: Decided): boolean {
  const { status } = decided.decision
  const proven = [status.stable, decided.pool.memory.stable, wentBackTo(decided)].map((ref) => ref?.fingerprint)
  const isRejected = status.rejected.some(({ fingerprint }) => fingerprint === status.stable?.fingerprint)
  if (status.stable === undefined || isRejected) return true
  const given = [...stepsOf(decided), ...cordonsOf(decided)].filter(({ node }) => isJoining(node, decided))
  return given.every((step) => proven.includes(fingerprintOf(step.digest)) || wasCalledOff(step))
}

/** On the way to what the pool completed before, by a revert or because a person has it there, that is the good content. */
function wentBackTo({ decision: { status } }: Decided): RevisionRef | undefined {
  const to = status.rollback?.to ?? status.target
  const completed = status.history.find(({ fingerprint, result }) => fingerprint === to?.fingerprint && result === 'Completed')
  return completed && !completed.abandoned ? to : undefined
}

/** A person uncordoned it in the drain for what is proven; it was cordoned for another content in its turn. */
function wasCalledOff({ node, digest }: Step): boolean {
  return node.mark?.state === 'Released' || node.mark?.digest === digest
}
