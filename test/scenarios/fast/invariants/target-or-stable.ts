import { contentOf, fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe } from '../when-assigned.ts'
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
function isNeedy({ node }: Step, decided: Decided): boolean {
  return !node.ready || doesNotServe(node) || isOverdue(node, decided)
}

/** What a clock has stamped that was ahead counts from the start of the rollout. */
function isOverdue(node: Step['node'], { at, pool: { policy }, decision: { status } }: Decided): boolean {
  if (node.assigned === undefined || hasEnded(node)) return false
  const { at: assignedAt = 0 } = node.assigned
  const began = assignedAt > at ? Date.parse(status.history[0]?.startedAt ?? '') : assignedAt
  return at >= began + policy.applyTimeout
}
