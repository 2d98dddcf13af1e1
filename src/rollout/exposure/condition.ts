import { lateFrom } from '../model/after-outage.ts'
import { isAtWork, isFailure, isReplayed } from '../model/agent-report.ts'
import { cannotServe, type Reported } from '../model/availability.ts'
import { blinkEnds, type RolloutClock } from '../model/deadlines.ts'

/**
 * How a node is, apart from the target.
 * Sound: Ready, with no work under way.
 * InFlight: at work on other content than the target, and within its time.
 * Broken: an unfinished rollout left it not Ready for longer than a blink, restored, or with overdue work.
 * Down: it does not serve for another reason, as where its agent does not end the work on the stable content, or no pod runs with that.
 */
export type Condition = 'Sound' | 'InFlight' | 'Broken' | 'Down'

export interface Subject extends Reported {
  /** It is assigned the target, and the target did not fail. */
  readonly isOnTarget: boolean
  /** It is assigned what the pool has run through before: an outage then is no rollout's doing. */
  readonly isOnProven: boolean
}

export function conditionOf({ node, report, isOnTarget, isOnProven }: Subject, clock: RolloutClock): Condition {
  const given = node.assigned
  if (given === undefined || isOnTarget) return node.ready ? 'Sound' : 'Down'
  const isBusy = isAtWork(node, report)
  if (isBusy && clock.now < lateFrom(given, clock)) return 'InFlight'
  if (isOnProven || isBlinking({ node, report }, clock)) return doesNotServe({ node, report }) ? 'Down' : 'Sound'
  // What came back from a backup was not tried: the host is as it was.
  const hasFailed = isFailure(report) && !isReplayed(report)
  return doesNotServe({ node, report }) || hasFailed ? 'Broken' : 'Sound'
}

/** Not Ready for so short a time that it may be back any moment: nothing shows that its content broke it. */
export function isBlinking({ node, report }: Reported, clock: Pick<RolloutClock, 'now' | 'steadySince'>): boolean {
  if (isAtWork(node, report) || cannotServe({ node, report })) return false
  return clock.now < (blinkEnds(node, clock) ?? clock.now)
}

/** Broken, and unavailable: what repairs it costs no budget. One that was restored and is Ready serves as before. */
export function needsRepair(subject: Reported & { readonly condition: Condition }): boolean {
  return subject.condition === 'Broken' && doesNotServe(subject)
}

function doesNotServe({ node, report }: Reported): boolean {
  return !node.ready || isAtWork(node, report) || cannotServe({ node, report })
}
