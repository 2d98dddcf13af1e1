import { contentOf, fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe } from '../sim-node.ts'
import { cordonsOf, type Decided, decidedPools, hasEnded, isJoining, type Step, stepsOf } from './steps.ts'

/** The table of docs/rollouts.md, under "Which node may get which content". */
export const targetOrStable: Invariant = {
  claim:
    'a node is given the target or the stable content, and beside another target the stable one only where it is young or does not serve',
  ofDecision: (observed) =>
    decidedPools(observed).every((decided) =>
      [...stepsOf(decided), ...cordonsOf(decided)].every((step) => isRuled(step, decided)),
    ),
}

/** A greater grant, other labels and a reboot change nothing about the content. */
function isRuled(step: Step, decided: Decided): boolean {
  const { node, digest, reboots } = step
  const { target, stable } = decided.decision.status
  if (reboots || contentOf(node.assigned?.digest ?? '') === contentOf(digest)) return true
  if (fingerprintOf(digest) === target?.fingerprint) return true
  return fingerprintOf(digest) === stable?.fingerprint && (isJoining(node, decided) || isNeedy(step, decided))
}

/** It is not Ready, does not serve for another reason, or its work is overdue. */
function isNeedy({ node }: Step, { at, pool: { policy } }: Decided): boolean {
  const { assigned, ready } = node
  const isOverdue = assigned !== undefined && !hasEnded(node) && at >= (assigned.at ?? 0) + policy.applyTimeout
  return !ready || doesNotServe(node) || isOverdue
}
