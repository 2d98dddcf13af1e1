import type { Invariant } from '../invariants.ts'

/** By what contents really broke, and what was really so before: not by what a status says. */
export const workloadsKept: Invariant = {
  claim: 'no gate passes while the content that is tried has broken workloads that were available before',
  ofWorld: ({ apps }) => apps === undefined || apps.wronglyPassed.length === 0,
}
