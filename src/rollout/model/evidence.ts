import { isApplied, isFailure, isInFlight } from './agent-report.ts'
import type { Reported } from './availability.ts'
import { deadlineOf, type RolloutClock, wasDownBefore } from './deadlines.ts'

/**
 * Whether what becomes of a node speaks for or against its content. One that was not sound when it was assigned does not, until the
 * content heals it: it was not Ready, or its agent was stuck at other work and says nothing about this one.
 */
export function isEvidence({ node, report }: Reported, clock: RolloutClock): boolean {
  if (node.assigned === undefined) return false
  return !wasDownBefore(node, node.assigned, clock) && !wasStuckBefore({ node, report })
}

/** It has had the time that its work may take, or its agent gave up. */
export function hasHadItsChance({ node, report }: Reported, clock: RolloutClock): boolean {
  return node.assigned === undefined || isFailure(report) || clock.now >= deadlineOf(node.assigned, clock)
}

function wasStuckBefore({ node, report }: Reported): boolean {
  const { status } = node
  if (report !== undefined || status === undefined) return false
  return !isApplied(status) && !isFailure(status) && status.phase !== 'Reverted' && isInFlight(node, report)
}
