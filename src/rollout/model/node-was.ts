import type { NodeWas } from '../../protocol/desired-config.ts'
import { silentFrom } from './after-outage.ts'
import { isFoundGood, isInFlight, reportedAt } from './agent-report.ts'
import { cannotServe } from './availability.ts'
import type { Candidate } from './candidate.ts'
import type { RolloutClock } from './deadlines.ts'
import { isEvidence, isHealed } from './evidence.ts'
import type { Rollout } from './rollout.ts'
import { isInRollout } from './wanted-assignment.ts'

export interface NodeWasContext {
  readonly clock: RolloutClock
  readonly rollout: Pick<Rollout, 'state'>
}

/** What has to be known about a node once it is assigned the next. */
export function nodeWas(member: Candidate, { clock, rollout }: NodeWasContext): NodeWas | undefined {
  if (isUnsound(member, clock)) return 'Unsound'
  if (isSilent(member, clock)) return 'Silent'
  if (isDisturbed(member, clock) && !(rollout.state === 'Completed' && isOutage(member))) return 'Disturbed'
  return member.node.ready ? undefined : 'Down'
}

/**
 * It does not serve, and not because of what it gets now: its agent could not restore it, or no pod runs. Once unsound it stays so, whatever it
 * is assigned, until something heals it.
 */
function isUnsound(member: Candidate, clock: RolloutClock): boolean {
  const { node, report } = member
  if (node.assigned?.nodeWas === 'Unsound' && !isHealed({ node, report })) return true
  // Its agent may not have taken the present assignment yet: then what it said of the one before still holds.
  return cannotServe({ node, report: report ?? node.status }) && !isTried(member, clock)
}

/**
 * Its agent may be dead, and would fail each commit in turn. Once silent it stays so, whatever it is assigned and whether it is Ready, until it
 * reports. Of a node that is not Ready, no agent is expected to say anything.
 */
function isSilent(member: Candidate, clock: RolloutClock): boolean {
  const { node, report } = member
  if (!node.assigned || report !== undefined) return false
  if (node.assigned.nodeWas === 'Silent') return true
  return node.ready && clock.now >= silentFrom(node.assigned, clock) && !isTried(member, clock)
}

/**
 * It has what it is to get, or what this rollout assigned it before its labels changed. What the target does not change says nothing about that
 * unless this rollout assigned it.
 */
function isTried({ node: { assigned }, wanted, changes, isExposed }: Candidate, clock: RolloutClock): boolean {
  if (isExposed) return true
  if (wanted.kind !== 'config' || assigned?.digest !== wanted.digest) return false
  return changes || isInRollout(assigned, clock)
}

/**
 * The rollout under way did it, or is at it: of what its agent works on it says nothing more once it is assigned again. Else each canary in turn
 * could be broken, and assigned again as its labels change.
 */
function isDisturbed({ node, report, isExposed }: Candidate, clock: RolloutClock): boolean {
  const isUnavailable = node.ready ? isInFlight(node, report) : !node.shutDown
  return isExposed && isUnavailable && isEvidence({ node, report }, clock)
}

/** What it was assigned held on it, and it went down after that. No wave is open in which others could take its place. */
function isOutage({ node, report }: Candidate): boolean {
  if (!node.assigned || !isHealed({ node, report }) || !isFoundGood(report, node.assigned.digest)) return false
  return node.readySince >= reportedAt(report)
}
