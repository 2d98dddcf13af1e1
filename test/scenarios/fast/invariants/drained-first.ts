import type { Invariant } from '../invariants.ts'

/** What its budget keeps is ended by nobody: that is what makes evictions enough to keep PodDisruptionBudgets. */
export const drainedFirst: Invariant = {
  claim: 'no node is granted a drain while a pod is on it that had to go first',
  ofWorld: ({ takes }) => takes.every(({ undrained }) => undrained === 0),
}
