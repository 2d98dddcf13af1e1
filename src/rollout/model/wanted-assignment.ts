import type { AgentStatus } from '../../protocol/agent-status.ts'
import { overdueFrom } from './after-outage.ts'
import { isApplied, isFailure, isReplayed, reportedAt, waitsForGrant } from './agent-report.ts'
import { latestOf, type RolloutClock, refusalEnds, withoutBreaks } from './deadlines.ts'
import { hadNoTime } from './evidence.ts'
import { type Instant, isFromAhead } from './instant.ts'
import type { Assignment, NodeView } from './node-view.ts'
import { hasFailedProof } from './proof.ts'
import { hasRebootedAfterAll } from './reboot.ts'
import type { NodeTarget } from './snapshot.ts'

export interface WantedContext extends RolloutClock {
  readonly wanted: NodeTarget
  /** What the agent says about the present assignment. */
  readonly report: AgentStatus | undefined
  /** It is to be rebooted with its next assignment. */
  readonly isToReboot?: boolean
}

/** It is assigned what is wanted, and need not be again. What failed before this rollout began gets one more try in it. */
export function hasWantedAssignment(
  node: NodeView,
  { wanted, report }: Pick<WantedContext, 'wanted' | 'report'>,
  clock: RolloutClock,
): node is NodeView & { readonly assigned: Assignment } {
  const { assigned } = node
  if (!assigned || wanted.kind === 'problem' || assigned.digest !== wanted.digest) return false
  if (isFailure(report) && hasRebootedAfterAll(node)) return false
  if (isReplayed(report) && clock.now >= refusalEnds(assigned, clock)) return false
  if (isTriedAgain(node, assigned, { report, clock })) return false
  // It is back. Else it would fail the commit at the moment in which it is Ready again.
  if (node.ready && hadNoTime({ node, report }, clock)) return false
  if (isInRollout(assigned, clock)) return true
  if (isApplied(report)) return !hasFailedProof(node, report)
  return !isFailure(report) && clock.now < overdueFrom({ node, report }, assigned, clock)
}

/** When time alone makes what is wanted due again, though it is assigned; undefined: never. */
export function wantedAgainAt(node: NodeView, report: AgentStatus | undefined, clock: RolloutClock): Instant | undefined {
  const { assigned } = node
  if (assigned === undefined) return undefined
  if (isReplayed(report)) return refusalEnds(assigned, clock)
  if (isInRollout(assigned, clock) || isApplied(report) || isFailure(report)) return undefined
  return overdueFrom({ node, report }, assigned, clock)
}

/**
 * It had failed before the retry, by the clocks alone: an outage after its failure keeps no node from the retry. An assignment that is further
 * ahead than work may take was made by a clock that has been put back since: nothing shows that its failure is of this rollout, so it is tried once more.
 */
function isTriedAgain(
  node: NodeView,
  assigned: Assignment,
  { report, clock }: { readonly report: AgentStatus | undefined; readonly clock: RolloutClock },
): boolean {
  const { retriedAt = Number.NEGATIVE_INFINITY, now, applyTimeout } = clock
  const { at } = assigned
  if (at === undefined) return false
  const hasFailed = isApplied(report) ? hasFailedProof(node, report) : isFailure(report)
  if (hasFailed && isFromAhead(at, { now, longest: applyTimeout })) return true
  if (at >= retriedAt || (!hasFailed && (isApplied(report) || waitsForGrant(node, report)))) return false
  const unbroken = withoutBreaks(clock)
  const failedAt = hasFailed
    ? endedAt(node, assigned, { report, clock: unbroken })
    : overdueFrom({ node, report }, assigned, unbroken)
  return failedAt <= Math.min(retriedAt, now)
}

/** When its agent, or the pod that proves it, ended badly. */
function endedAt(
  { proof }: NodeView,
  assigned: Assignment,
  { report, clock }: { readonly report: AgentStatus | undefined; readonly clock: RolloutClock },
): Instant {
  const stamped = isApplied(report) ? proof?.endedAt : reportedAt(report)
  return latestOf(stamped === undefined ? [] : [stamped], { assigned, clock })
}

/** It was assigned this content, whatever has become of it. */
export function isAssigned({ assigned }: Pick<NodeView, 'assigned'>, content: NodeTarget | undefined): boolean {
  return content?.kind === 'config' && content.digest === assigned?.digest
}

/** It was assigned in the rollout under way: only then does its failure speak against the target. */
export function isInRollout({ at }: Assignment, { rolloutStart }: Pick<RolloutClock, 'rolloutStart'>): boolean {
  return at === undefined || at >= rolloutStart
}

/** Now, or just after what a leader before, whose clock was a little ahead, has stamped. */
export function afterStamps(
  stamps: readonly (Instant | undefined)[],
  by: { readonly now: Instant; readonly longest: number },
): Instant {
  return stamps.reduce<Instant>((latest, at = latest - 1) => (isFromAhead(at, by) ? latest : Math.max(latest, at + 1)), by.now)
}
