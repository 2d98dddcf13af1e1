import { readyHeardAt } from './after-outage.ts'
import { isFoundGood, reportedAt } from './agent-report.ts'
import { type AssignedNode, clockFor } from './assigned-node.ts'
import { BLINK, countedFrom, deadlineOf, latestOf } from './deadlines.ts'
import { type Instant, isFromAhead, stamp } from './instant.ts'
import { failed, type NodeProgress } from './node-progress.ts'
import { isOpen } from './proof.ts'

const NOT_READY = 'NotReady'

/** Its agent says that the host is as before, undone or not begun, and its kubelet says otherwise: only what lasts is believed. */
export function notReadyAsBefore(subject: AssignedNode): NodeProgress {
  const { node, report, context } = subject
  const trusted = clockFor(NOT_READY, context)
  const until = Math.max(countedFrom(downSince(subject), trusted) + context.applyTimeout, readyHeardAt(node, trusted))
  if (context.now < until) return { phase: 'Unreachable', pending: true, until }
  const said = report?.error ? `, and the agent rolled back: ${report.error.message}` : ''
  return failed({ reason: NOT_READY, message: `node is not Ready since ${stamp(node.readySince)}${said}` })
}

/**
 * Applied, but not Ready any more. If it stays away, having gone before it was proved is a failure; later, an outage
 * like any other.
 */
export function notReadyAfterApply(subject: AssignedNode): NodeProgress {
  const { node, assigned, report, wanted, context } = subject
  // As it was when it went down, by its own clock: a stamp that is ahead must not come to count for what it says as time goes on.
  const clock = { ...context, now: node.readySince }
  const soaked =
    !(context.proof && isOpen(context.proof)) &&
    node.readySince >= latestOf([reportedAt(report)], { assigned, clock }) + context.soak
  const patience = soaked ? context.applyTimeout : Math.min(BLINK, context.applyTimeout)
  const trusted = clockFor(NOT_READY, context)
  const until = Math.max(countedFrom(downSince(subject, context.soak), trusted) + patience, readyHeardAt(node, trusted))
  if (context.now < until) return { phase: 'Unreachable', pending: true, until }
  if (isFoundGood(report, wanted.digest) && soaked) return { phase: 'Unreachable', pending: false }
  return failed({ reason: NOT_READY, message: `node is not Ready since ${stamp(node.readySince)}` })
}

/**
 * Since when a node is not Ready. A stamp of its clock that is further ahead than work may take stands for the end of its work and its soak:
 * counted for what it says, it would move on with the time, and the node would never fail.
 */
function downSince({ node: { readySince }, assigned, context }: AssignedNode, soak = 0): Instant {
  const { now, applyTimeout } = context
  const isAhead = isFromAhead(readySince, { now, longest: applyTimeout })
  return Math.min(isAhead ? deadlineOf(assigned, context) + soak : readySince, now)
}
