import type { Invariant } from '../invariants.ts'
import { cordonsOf, decidedPools, stepsOf } from './steps.ts'

export const leavingLeftAlone: Invariant = {
  claim: 'a node that is about to be deleted is given nothing, and is no canary',
  ofDecision: (observed) =>
    decidedPools(observed).every((decided) => [...stepsOf(decided), ...cordonsOf(decided)].every(({ node }) => !node.leaving)),
}
