import { type AgentStatus, REBOOTING } from '../../protocol/agent-status.ts'
import type { NodePhase } from '../../protocol/node-pool.ts'
import { asksForMore, isApplied, isFailure, isOvertaken, isReplayed } from './agent-report.ts'
import type { Reported } from './availability.ts'
import {
  countedFrom,
  countsFrom,
  deadlineOf,
  joiningEnds,
  latestOf,
  type RolloutClock,
  refusalEnds,
  silenceEnds,
  soakHeardAt,
} from './deadlines.ts'
import { hadNoTime, isEvidence, isUntried } from './evidence.ts'
import { type Instant, isFromAhead, stamp } from './instant.ts'
import type { Assignment, NodeView } from './node-view.ts'
import { hasFailedProof, isOpen, type Proof } from './proof.ts'
import { awaitsReboot, hasRebootedAfterAll } from './reboot.ts'
import type { NodeTarget } from './snapshot.ts'

/** Where a node stands on its way to what it is to become; concluded each time, never stored. */
export interface NodeProgress {
  readonly phase: NodePhase
  /** Its wave waits for it. */
  readonly pending: boolean
  readonly failure?: Failure
  /** False: the node was not sound when it was assigned, so its failure says nothing about the content. */
  readonly isEvidence?: false
  /** When time alone changes this. */
  readonly until?: Instant
}

export interface Failure {
  /** CamelCase, stable. */
  readonly reason: string
  readonly message: string
}

const RENDER_FAILED = 'RenderFailed'

/** Nothing was assigned: what is to blame stands in the commit, or in what the Node shows. */
export function isRenderFailure({ reason }: Pick<Failure, 'reason'>): boolean {
  return reason === RENDER_FAILED
}

export interface ProgressContext extends RolloutClock {
  readonly wanted: NodeTarget
  /** What the agent says about the present assignment. */
  readonly report: AgentStatus | undefined
  /** It is to be rebooted with its next assignment. */
  readonly isToReboot?: boolean
}

/**
 * @param course.soak milliseconds that the node must stay healthy before it counts as Current
 * @param course.joins new to a pool that has something proven to give it
 * @param course.proof how it stands with the pod that has to run on it; absent: none has to
 */
export function progressOf(
  node: NodeView,
  course: ProgressContext & { readonly soak: number; readonly joins: boolean; readonly proof?: Proof | undefined },
): NodeProgress {
  const { wanted, joins } = course
  if (node.assignedByHand) return { phase: 'Unmanaged', pending: false }
  if (node.hold !== undefined) return { phase: 'Held', pending: false }
  if (node.leaving) return { phase: 'Leaving', pending: false }
  if (wanted.kind === 'problem' && wanted.reason !== undefined) return { phase: 'Waiting', pending: false }
  if (wanted.kind === 'problem')
    return { phase: 'Waiting', pending: false, failure: { reason: RENDER_FAILED, message: wanted.message } }
  if (joins) return { phase: 'Joining', pending: true, until: joiningEnds(node, course) }
  if (course.isToReboot || !hasGoal(node, course, course))
    return node.ready ? { phase: 'Waiting', pending: true } : unreachable(node, course)
  return onGoal({ node, assigned: node.assigned, wanted, report: course.report, course })
}

/** After this long it counts as down for good, which changes how it may be mended. */
function unreachable({ readySince }: NodeView, { applyTimeout }: ProgressContext): NodeProgress {
  return { phase: 'Unreachable', pending: true, until: readySince + applyTimeout }
}

/** It is assigned what is wanted, and need not be again. What failed before this run began gets one more try in it. */
export function hasGoal(
  node: NodeView,
  { wanted, report }: Pick<ProgressContext, 'wanted' | 'report'>,
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
  return !isFailure(report) && clock.now < deadlineOf(assigned, clock)
}

/**
 * Its failure is older than the retry, whether its agent tells of it or has not ended the work in time. One that is further ahead than work may
 * take was assigned by a clock that has been put back since: nothing shows that it is of this run, so it is tried once more.
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
  return at < retriedAt && (hasFailed || (!isApplied(report) && now >= deadlineOf(assigned, clock)))
}

/** It was assigned in the run under way: only then does its failure speak against the target. */
export function isInRollout({ at }: Assignment, { rolloutStart }: Pick<RolloutClock, 'rolloutStart'>): boolean {
  return at === undefined || at >= rolloutStart
}

/** A node that is assigned what is wanted of it. */
interface Subject {
  readonly node: NodeView
  readonly assigned: Assignment
  readonly wanted: Extract<NodeTarget, { kind: 'config' }>
  readonly report: AgentStatus | undefined
  readonly course: RolloutClock & { readonly soak: number; readonly proof?: Proof | undefined }
}

function onGoal(subject: Subject): NodeProgress {
  const progress = stageOf(subject)
  return progress.phase === 'Failed' && !isEvidence(subject, subject.course) ? { ...progress, isEvidence: false } : progress
}

function stageOf(subject: Subject): NodeProgress {
  const { node, report, wanted, course } = subject
  if (isUntried(subject, course)) return untried(subject)
  if (report?.phase === 'RolledBack' && !node.ready) return putBackBadly(subject)
  if (report && isFailure(report)) return ended(subject, report)
  if (course.proof?.kind === 'Failed') return failed({ reason: 'PodProofFailed', message: course.proof.message })
  if (isApplied(report) && report?.digest === wanted.digest) return node.ready ? proving(subject) : fallen(subject)
  if (report === undefined) return silent(subject)
  if (isOursToGrant(node, report)) return { phase: 'Waiting', pending: true }
  if (report.error?.reason === REBOOTING) return rebooting(subject, report)
  const phase = report.phase === 'Fetching' ? 'Assigned' : 'Applying'
  return untilDeadline(subject, { phase, failure: { reason: 'ApplyTimeout', message: whatItWaitsFor(report, subject.assigned) } })
}

function ended({ assigned, course }: Subject, report: AgentStatus): NodeProgress {
  if (isOvertaken(assigned, report, course.now)) return { phase: 'Waiting', pending: true, until: refusalEnds(assigned, course) }
  const failure = failed(report.error ?? { reason: report.phase, message: 'the agent reports no reason' })
  return isReplayed(report) ? { ...failure, until: refusalEnds(assigned, course) } : failure
}

/** Nothing has been tried: a window, a pause or a budget keeps it. One that went bad asks with an error; that does not wait for a window. */
function isOursToGrant(node: NodeView, report: AgentStatus): boolean {
  return node.ready && report.error === undefined && asksForMore(node, report)
}

/** It was down when it was assigned, so nobody waits for it; but it keeps its place in the wave until it has had its chance. */
function untried({ assigned, course }: Subject): NodeProgress {
  const until = deadlineOf(assigned, course)
  return { phase: 'Unreachable', pending: false, ...(until > course.now && { until }) }
}

/** Its agent says that the host is as before, and its kubelet says otherwise: only what lasts is believed. */
function putBackBadly(subject: Subject): NodeProgress {
  const { node, report, course } = subject
  const until = countedFrom(downSince(subject), course) + course.applyTimeout
  if (course.now < until) return { phase: 'Unreachable', pending: true, until }
  const said = report?.error ? `, and the agent rolled back: ${report.error.message}` : ''
  return failed({ reason: 'NotReady', message: `node is not Ready since ${stamp(node.readySince)}${said}` })
}

/** Nobody has taken the assignment: of a node that is down nothing else can be expected, of another it is the agent that is missing. */
function silent(subject: Subject): NodeProgress {
  const { node, assigned, course } = subject
  const message = 'the agent has not started the assignment'
  if (node.ready) {
    const until = silenceEnds(assigned, course)
    return until > course.now ? { phase: 'Assigned', pending: true, until } : failed({ reason: 'AgentSilent', message })
  }
  const failure = { reason: 'NotReady', message: `node is not Ready since ${stamp(node.readySince)}, and ${message}` }
  return untilDeadline(subject, { phase: 'Assigned', failure })
}

/** Nothing more is heard of it before it is back. */
function rebooting(subject: Subject, { since }: AgentStatus): NodeProgress {
  const message = `the machine was ordered to reboot after ${since}, and its agent has not come back`
  return untilDeadline(subject, { phase: 'Rebooting', failure: { reason: 'RebootTimeout', message } })
}

/** Applied and Ready: the version must show, a pod must run, and it must last. */
function proving(subject: Subject): NodeProgress {
  const { node, wanted, assigned, report, course } = subject
  const version = wanted.version?.replace(/^v/, '')
  if (version !== undefined && node.kubeletVersion !== version) {
    const message = `node runs kubelet "${node.kubeletVersion}", expected "${version}"`
    return untilDeadline(subject, { phase: 'Applying', failure: { reason: 'VersionMismatch', message } })
  }
  if (node.staleReady) {
    const message = `node is Ready by a heartbeat from before its kubelet was restarted at ${report?.kubeletStartedAt}`
    return untilDeadline(subject, { phase: 'Applying', failure: { reason: 'HeartbeatMissing', message } })
  }
  if (awaitsReboot(node)) {
    const message = `the agent has finished, and the Node still shows the boot "${node.bootId}", which was to end`
    return untilDeadline(subject, { phase: 'Rebooting', failure: { reason: 'NotRebooted', message } })
  }
  const { proof } = course
  if (proof && isOpen(proof)) {
    const until = proof.kind === 'Underway' ? proof.until : undefined
    return { phase: 'Proving', pending: true, ...(until !== undefined && { until }) }
  }
  if (course.soak === 0) return { phase: 'Current', pending: false }
  const stamps = [appliedAt(report), node.readySince, ...(proof ? [proof.at] : [])]
  const lasted = countedFrom(latestOf(stamps, { assigned, clock: course }), course) + course.soak
  const until = Math.max(lasted, soakHeardAt(course.soak, course))
  if (course.now >= until) {
    const changesAt = countsFrom(stamps, course)
    return { phase: 'Current', pending: false, ...(changesAt !== undefined && { until: changesAt }) }
  }
  const pressure = node.pressures?.find(({ since }) => since >= (assigned.at ?? since))
  if (!pressure) return { phase: 'Soaking', pending: true, until }
  return failed({ reason: pressure.type, message: `node has ${pressure.type} since ${stamp(pressure.since)}, in its soak` })
}

/** What is not Ready for longer in its soak fails it; a kubelet that starts may say so for a moment. */
const BLINK = 60_000

/**
 * Applied, but not Ready any more. If it stays away, having gone before it was proved is a failure; later, an outage
 * like any other.
 */
function fallen(subject: Subject): NodeProgress {
  const { node, assigned, report, wanted, course } = subject
  // As it was when it went down, by its own clock: a stamp that is ahead must not come to count for what it says as time goes on.
  const clock = { ...course, now: node.readySince }
  const soaked =
    !(course.proof && isOpen(course.proof)) && node.readySince >= latestOf([appliedAt(report)], { assigned, clock }) + course.soak
  const patience = soaked ? course.applyTimeout : Math.min(BLINK, course.applyTimeout)
  const until = countedFrom(downSince(subject, course.soak), course) + patience
  if (course.now < until) return { phase: 'Unreachable', pending: true, until }
  const provedByAgent = report?.lastKnownGood === undefined || report.lastKnownGood === wanted.digest
  if (provedByAgent && soaked) return { phase: 'Unreachable', pending: false }
  return failed({ reason: 'NotReady', message: `node is not Ready since ${stamp(node.readySince)}` })
}

/**
 * Since when a node is not Ready. A stamp of its clock that is further ahead than work may take stands for the end of its work and its soak:
 * counted for what it says, it would move on with the time, and the node would never fail.
 */
function downSince({ node: { readySince }, assigned, course }: Subject, soak = 0): Instant {
  const { now, applyTimeout } = course
  const isAhead = isFromAhead(readySince, { now, longest: applyTimeout })
  return Math.min(isAhead ? deadlineOf(assigned, course) + soak : readySince, now)
}

function untilDeadline(
  { assigned, course }: Subject,
  { phase, failure }: { readonly phase: NodePhase; readonly failure: Failure },
): NodeProgress {
  const until = deadlineOf(assigned, course)
  return course.now < until ? { phase, pending: true, until } : failed(failure)
}

/** It failed at what this rollout assigned it, and is to get the stable content: afterwards nothing on it tells of that. */
export function failedBeforeRepair({ node: { ready, readySince }, report }: Reported): NodeProgress {
  const reason = ready ? 'NotRestored' : 'NotReady'
  const message = ready ? 'it does not serve' : `node is not Ready since ${stamp(readySince)}`
  return failed(isFailure(report) && report?.error ? report.error : { reason, message })
}

function failed({ reason, message }: Failure): NodeProgress {
  return { phase: 'Failed', pending: false, failure: { reason, message } }
}

function whatItWaitsFor(report: AgentStatus, assigned: Assignment): string {
  const needs = report.needs ? `, needs "${report.needs}" and is granted "${assigned.grant}"` : ''
  return `the agent is still at "${report.phase}"${needs}${report.error ? `: ${report.error.message}` : ''}`
}

function appliedAt(report: AgentStatus | undefined): Instant {
  return Date.parse(report?.since ?? '')
}
