import { isApplied, isFailure, isInFlight } from './agent-report.ts'
import type { Reported } from './availability.ts'
import { deadlineOf, type RolloutClock, wasDownBefore } from './deadlines.ts'
import { hasFailedProof } from './proof.ts'
import type { NodeTarget } from './snapshot.ts'

/**
 * Whether what becomes of a node speaks for or against its content. One that was not sound when it was assigned does not, until the
 * content heals it: it was not Ready, its agent was stuck at other work and says nothing about this one, or it was Ready and did not serve.
 */
export function isEvidence({ node, report }: Reported, clock: RolloutClock): boolean {
  const { assigned } = node
  if (assigned === undefined || wasDownBefore(node, assigned, clock) || wasStuckBefore({ node, report })) return false
  return !assigned.unsound || isHealed({ node, report })
}

/** It has had the time that its work may take, or its agent gave up. */
export function hasHadItsChance({ node, report }: Reported, clock: RolloutClock): boolean {
  return node.assigned === undefined || isFailure(report) || clock.now >= deadlineOf(node.assigned, clock)
}

/**
 * It is Ready, and other content than it gets now has left it so that it does not serve: its agent could not restore it, or no pod runs. When
 * it gets the same once more, what was so before it got that counts.
 */
export function isUnsound({ node, report, wanted }: Reported & { readonly wanted: NodeTarget }): boolean {
  const { assigned } = node
  if (wanted.kind === 'config' && wanted.digest === assigned?.digest)
    return assigned.unsound === true && !isHealed({ node, report })
  return node.ready && (report?.phase === 'Failed' || hasFailedProof(node, report))
}

function wasStuckBefore({ node, report }: Reported): boolean {
  const { status } = node
  if (report !== undefined || status === undefined) return false
  return !isApplied(status) && !isFailure(status) && status.phase !== 'Reverted' && isInFlight(node, report)
}

function isHealed({ node, report }: Reported): boolean {
  return node.ready && isApplied(report) && !hasFailedProof(node, report)
}
