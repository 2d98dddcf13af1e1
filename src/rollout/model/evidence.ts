import type { AgentStatus } from '../../protocol/agent-status.ts'
import { lateFrom } from './after-outage.ts'
import { isApplied, isFailure, isInFlight, reportedAt } from './agent-report.ts'
import type { Reported } from './availability.ts'
import { beginsLate, deadlineOf, type RolloutClock, silenceEnds, wasDownBefore, withoutBreaks } from './deadlines.ts'
import type { Instant } from './instant.ts'
import { hasFailedProof, isBeingProved } from './proof.ts'

/**
 * Whether what becomes of a node speaks for or against its content. One that was not sound when it was assigned does not, until the
 * content heals it: it was not Ready, its agent was stuck at other work or silent and says nothing about this one, or it did not serve.
 * One that the same rollout has taken down was sound before.
 */
export function isEvidence({ node, report }: Reported, clock: RolloutClock): boolean {
  const { assigned } = node
  if (assigned?.nodeWas === 'Disturbed') return true
  if (assigned === undefined || isUntried({ node, report }, clock) || wasStuckBefore({ node, report })) return false
  return assigned.nodeWas !== 'Unsound' || isHealed({ node, report })
}

/** It was down when it was assigned, and has not been Ready since, or only when its time was over. */
export function isUntried({ node, report }: Reported, clock: RolloutClock): boolean {
  const { ready, assigned } = node
  if (ready || assigned === undefined) return false
  return wasDownBefore(node, assigned) || hadNoTime({ node, report }, clock)
}

/**
 * It was down from its assignment until its time was over, or its agent was silent before and began late, so that its agent had less than others. By
 * stamps alone: an outage does not make it evidence afterwards.
 */
export function hadNoTime({ node, report }: Reported, clock: RolloutClock): boolean {
  const { assigned, readySince } = node
  if (assigned === undefined || !isInFlight(node, report)) return false
  if (assigned.nodeWas === 'Silent') return beginsLate(reportedAt(report), assigned, clock)
  if (assigned.nodeWas !== 'Down') return false
  return readySince >= (report === undefined ? silenceEnds : deadlineOf)(assigned, withoutBreaks(clock))
}

/** It has had the time that its work may take, and to report what became of it; or its agent gave up. */
export function hasHadItsChance({ node, report }: Reported, clock: RolloutClock): boolean {
  return node.assigned === undefined || isFailure(report) || clock.now >= lateFrom(node.assigned, clock)
}

/**
 * The same by the clocks alone, for the place of a node that is no evidence: neither an outage nor a start of the controller gives it back when
 * another node has taken it.
 */
export function hasLostItsPlace(subject: Reported, clock: RolloutClock): boolean {
  return hasHadItsChance(subject, withoutBreaks(clock))
}

/** When time alone ends the chance of a node that is no evidence; undefined: it has had it, or is evidence. */
export function chanceEnds(subject: Reported, clock: RolloutClock): Instant | undefined {
  const { assigned } = subject.node
  if (assigned === undefined || hasHadItsChance(subject, clock) || isEvidence(subject, clock)) return undefined
  return lateFrom(assigned, clock)
}

function wasStuckBefore({ node, report }: Reported): boolean {
  const { assigned, status } = node
  if (report !== undefined) return false
  if (assigned?.nodeWas === 'Silent') return true
  if (status === undefined || isWaiting(status)) return false
  return !isApplied(status) && !isFailure(status) && status.phase !== 'Reverted' && isInFlight(node, report)
}

/** Its agent asks for a greater grant, and has changed nothing; one that went bad asks with an error. */
function isWaiting({ phase, error }: AgentStatus): boolean {
  return phase === 'Blocked' && error === undefined
}

/** Its agent has nothing left to do: once the node itself is well, it counts without another assignment. */
export function isAgentDone({ node, report }: Reported): boolean {
  return isApplied(report) && !hasFailedProof(node, report)
}

/** What it was assigned holds on it, and no pod has still to show so. Whether it stays Ready then is that content's doing. */
export function isHealed({ node, report }: Reported): boolean {
  return isAgentDone({ node, report }) && !isBeingProved(node, report)
}
