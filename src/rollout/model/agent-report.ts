import { type AgentStatus, ASSIGNMENT_REPLAYED, CHANGED_BY_OTHERS } from '../../protocol/agent-status.ts'
import { nextCounter } from '../../protocol/assignment-signature.ts'
import { atMost } from '../../protocol/desired-config.ts'
import type { Instant } from './instant.ts'
import type { Assignment, NodeView } from './node-view.ts'

/** What the agent says about the present assignment; a report about an earlier one tells nothing about this one. */
export function reportOf({ assigned, status }: NodeView): AgentStatus | undefined {
  if (!assigned || !status || (status.digest ?? status.assigned) !== assigned.digest) return undefined
  if (assigned.at === undefined) return status
  // An agent that does not say which assignment it means may still report how the one before failed.
  if (status.assignedAt === undefined) return isFailure(status) && Date.parse(status.since) < assigned.at ? undefined : status
  return assignedAt(status) === assigned.at ? status : undefined
}

const parsed = new WeakMap<AgentStatus, Instant>()

/** Asked of every node in every pass: the same object is parsed once. */
function assignedAt(status: AgentStatus): Instant {
  const known = parsed.get(status)
  if (known !== undefined) return known
  const at = Date.parse(status.assignedAt ?? '')
  parsed.set(status, at)
  return at
}

/** Since when the agent says so; NaN: it says nothing. */
export function reportedAt(report: AgentStatus | undefined): Instant {
  return Date.parse(report?.since ?? '')
}

/** The agent ended the work: the change holds, also where it waits for a turn to be laid over what others have written since. */
export function isApplied(report: AgentStatus | undefined): boolean {
  return report?.phase === 'Applied' || isToMerge(report)
}

/** The content held, and others have rewritten what it goes over: to merge the two disturbs the node again. */
function isToMerge(report: AgentStatus | undefined): boolean {
  return report?.phase === 'Blocked' && report.error?.reason === CHANGED_BY_OTHERS
}

/** The agent ended the work: the change does not hold. */
export function isFailure(report: AgentStatus | undefined): boolean {
  return report?.phase === 'RolledBack' || report?.phase === 'Failed'
}

/** What it is assigned came back from a backup: nobody tried it, and the agent waits for a new assignment. */
export function isReplayed(report: AgentStatus | undefined): boolean {
  return report?.phase === 'RolledBack' && report.error?.reason === ASSIGNMENT_REPLAYED
}

/** The agent names a counter that it had accepted before, and the next assignment has one above it: so this one is nobody's failure. */
export function isOvertaken({ counter: assigned }: Assignment, report: AgentStatus, now: Instant): boolean {
  const { counter: accepted } = report
  if (!isReplayed(report) || assigned === undefined || accepted === undefined) return false
  return assigned <= accepted && accepted < nextCounter({ assigned, accepted }, now)
}

/** Assigned something that the agent has not ended, well or badly. */
export function isInFlight(node: NodeView, report: AgentStatus | undefined): boolean {
  return node.assigned !== undefined && !isApplied(report) && !isFailure(report)
}

/** Its agent has said nothing yet of what it was assigned, or that it is about to read the payloads. */
export function isToRead(node: NodeView, report: AgentStatus | undefined): boolean {
  return isInFlight(node, report) && (report === undefined || report.phase === 'Fetching')
}

/** In flight, and not waiting for a greater grant: until it gets that, the agent disturbs nothing. */
export function isAtWork(node: NodeView, report: AgentStatus | undefined): boolean {
  return isInFlight(node, report) && !asksForMore(node, report)
}

/** Once more, or greater. By the grant, not by stamps: the word of an agent about a lesser grant may be of the same instant. */
export function asksForMore({ assigned }: NodeView, report: AgentStatus | undefined): boolean {
  const { phase, needs } = report ?? {}
  if (phase !== 'Blocked' || needs === undefined || assigned === undefined) return false
  return !atMost(needs, assigned.grant) || isToMerge(report)
}

/** Nothing has been tried. One that went bad asks with an error; that does not wait for a window. */
export function asksToBegin(node: NodeView, report: AgentStatus | undefined): boolean {
  return report?.error === undefined && asksForMore(node, report)
}

/** The same, and only a window, a pause or a budget keeps it. */
export function waitsForGrant(node: NodeView, report: AgentStatus | undefined): boolean {
  return node.ready && asksToBegin(node, report)
}

/** The host has this content and no work under way, whatever it is assigned: assigning it disturbs nothing. */
export function alreadyRuns(digest: string, report: AgentStatus | undefined): boolean {
  return report?.active === digest && !isToMerge(report) && (isApplied(report) || isFailure(report))
}

/** Its agent found good what it runs; one that says nothing of that is older than the field. */
export function isFoundGood(report: AgentStatus | undefined, digest: string): boolean {
  return report?.lastKnownGood === undefined || report.lastKnownGood === digest
}
