import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, stepsOf } from './steps.ts'

export const staysRolledBack: Invariant = {
  claim: 'a pool that a person rolled back goes nowhere else until Git says something new, or a person does',
  ofDecision: (observed) => decidedPools(observed).every((decided) => !isRolledBack(decided) || goesThere(decided)),
}

function isRolledBack({ pool }: Decided): boolean {
  const { rollback, observedControls } = pool.memory
  const isNew = rollback?.from.fingerprint !== pool.head.fingerprint && rollback?.from.revision !== pool.head.revision
  return rollback !== undefined && !isNew && pool.controls.rollback === observedControls?.rollback
}

/** Nodes that join get what is proven, when the rollback leads to what is not. A commit that was not loaded when it was asked for has no fingerprint yet. */
function goesThere(decided: Decided): boolean {
  const { rollback, stable } = decided.pool.memory
  const { target } = decided.decision.status
  const to = rollback?.to.fingerprint === '' && rollback.to.revision === target?.revision ? target : rollback?.to
  const allowed = [to?.fingerprint, stable?.fingerprint]
  return (
    target?.fingerprint === to?.fingerprint && stepsOf(decided).every(({ digest }) => allowed.includes(fingerprintOf(digest)))
  )
}
