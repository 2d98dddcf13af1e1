import type { RevisionRef } from '../../../../src/protocol/node-pool.ts'
import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools, isRendered, stepsOf } from './steps.ts'

export const staysRolledBack: Invariant = {
  claim: 'a pool that a person rolled back goes nowhere else until Git says something new, or a person does',
  ofDecision: (observed) => decidedPools(observed).every((decided) => !isRolledBack(decided) || goesThere(decided)),
}

function isRolledBack({ pool }: Decided): boolean {
  const { rollback, observedControls } = pool.memory
  const isNew = rollback?.from.fingerprint !== pool.head.fingerprint && rollback?.from.revision !== pool.head.revision
  return rollback !== undefined && !isNew && pool.controls.rollback === observedControls?.rollback
}

/** Nodes that join get what is proven, when the rollback leads to what is not. */
function goesThere(decided: Decided): boolean {
  const { stable } = decided.pool.memory
  // Its content may be known since this decision alone.
  const { rollback, target } = decided.decision.status
  const allowed = [rollback?.to.fingerprint, stable?.fingerprint]
  const isThere = rollback?.to.revision === decided.pool.memory.rollback?.to.revision
  if (isLost(rollback?.to, decided)) return stepsOf(decided).length === 0
  const isTarget = isThere && (target?.fingerprint === rollback?.to.fingerprint || target?.revision === rollback?.to.revision)
  return isTarget && stepsOf(decided).every(({ digest }) => allowed.includes(fingerprintOf(digest)))
}

/** Somebody has deleted the ConfigMap of its commit: the pool waits for that, and says so. */
function isLost(to: RevisionRef | undefined, { pool, decision }: Decided): boolean {
  return to !== undefined && !isRendered(to, pool) && decision.status.conditions[0]?.reason === 'Halted'
}
