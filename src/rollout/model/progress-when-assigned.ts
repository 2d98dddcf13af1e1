import { type AgentStatus, REBOOTING } from '../../protocol/agent-status.ts'
import { lateFrom } from './after-outage.ts'
import { asksToBegin, isApplied, isFailure, isOvertaken, isReplayed, reportedAt } from './agent-report.ts'
import { type AssignedNode, untilDeadline, untilReported, untilSilent } from './assigned-node.ts'
import type { Candidate } from './candidate.ts'
import { latestOf, refusalEnds } from './deadlines.ts'
import { isEvidence, isUntried } from './evidence.ts'
import { type Instant, stamp } from './instant.ts'
import { failed, type NodeProgress } from './node-progress.ts'
import type { Assignment } from './node-view.ts'
import { failedUnder, lastingPressure, pressureInSoak } from './pressure-in-soak.ts'
import { notReadyAfterApply, notReadyAsBefore } from './progress-when-down.ts'
import { isOpen } from './proof.ts'
import { awaitsReboot } from './reboot.ts'
import { soakEnds, soakHeardAt } from './soak.ts'
import { isInRollout } from './wanted-assignment.ts'

export function progressWhenAssigned(subject: AssignedNode): NodeProgress {
  const progress = stageOf(subject)
  return progress.phase === 'Failed' && !saysOfTarget(subject) ? { ...progress, isEvidence: false } : progress
}

/** A change that an earlier rollout assigned is to be repaired, or tried again: until then its failure is no answer to this rollout. */
function saysOfTarget({ node, report, assigned, context }: AssignedNode): boolean {
  return isEvidence({ node, report }, context) && (context.changes === false || isInRollout(assigned, context))
}

function stageOf(subject: AssignedNode): NodeProgress {
  const { node, report, wanted, context } = subject
  if (isUntried(subject, context)) return untried(subject)
  if (report?.phase === 'RolledBack' && !node.ready) return notReadyAsBefore(subject)
  if (report && isFailure(report)) return ended(subject, report)
  if (context.proof?.kind === 'Failed') return failed({ reason: 'PodProofFailed', message: context.proof.message })
  if (isApplied(report) && report?.digest === wanted.digest) return applied(subject)
  if (report === undefined) return silent(subject)
  if (asksToBegin(node, report)) return node.ready ? { phase: 'Waiting', pending: true } : notReadyAsBefore(subject)
  if (report.error?.reason === REBOOTING) return rebooting(subject, report)
  const phase = report.phase === 'Fetching' ? 'Assigned' : 'Applying'
  return untilDeadline(subject, { phase, failure: { reason: 'ApplyTimeout', message: whatItWaitsFor(report, subject.assigned) } })
}

function ended({ assigned, context }: AssignedNode, report: AgentStatus): NodeProgress {
  if (isOvertaken(assigned, report, context.now))
    return { phase: 'Waiting', pending: true, until: refusalEnds(assigned, context) }
  const failure = failed(report.error ?? { reason: report.phase, message: 'the agent reports no reason' })
  return isReplayed(report) ? { ...failure, until: refusalEnds(assigned, context) } : failure
}

/** It was down when it was assigned, so no wave waits for it; but a rejection does, until it has had its chance. */
function untried({ assigned, context }: AssignedNode): NodeProgress {
  const until = lateFrom(assigned, context)
  return { phase: 'Unreachable', pending: false, ...(until > context.now && { until }) }
}

/** Nobody has taken the assignment: of a node that is down nothing else can be expected, of another it is the agent that is missing. */
function silent(subject: AssignedNode): NodeProgress {
  const { node } = subject
  const message = 'the agent has not started the assignment'
  if (node.ready) return untilSilent(subject, { phase: 'Assigned', failure: { reason: 'AgentSilent', message } })
  const failure = { reason: 'NotReady', message: `node is not Ready since ${stamp(node.readySince)}, and ${message}` }
  return untilDeadline(subject, { phase: 'Assigned', failure })
}

/** Nothing more is heard of it before it is back. */
function rebooting(subject: AssignedNode, { since }: AgentStatus): NodeProgress {
  const message = `the machine was ordered to reboot after ${since}, and its agent has not come back`
  return untilDeadline(subject, { phase: 'Rebooting', failure: { reason: 'RebootTimeout', message } })
}

/** What failed it counts before what has become of the node since: it is not Ready for a moment, or its kubelet was restarted. */
function applied(subject: AssignedNode): NodeProgress {
  const lasting = lastingPressure(subject)
  if (lasting) return failedUnder(lasting)
  return subject.node.ready ? proving(subject) : notReadyAfterApply(subject)
}

/** Applied and Ready: the version must show, a pod must run, and it must last. */
function proving(subject: AssignedNode): NodeProgress {
  const { node, wanted, assigned, report, context } = subject
  const version = wanted.version?.replace(/^v/, '')
  if (version !== undefined && node.kubeletVersion !== version) {
    const message = `node runs kubelet "${node.kubeletVersion}", expected "${version}"`
    return untilReported(subject, { phase: 'Applying', failure: { reason: 'VersionMismatch', message } })
  }
  if (node.staleReady) {
    const message = `node is Ready by a heartbeat from before its kubelet was restarted at ${report?.kubeletStartedAt}`
    return untilReported(subject, { phase: 'Applying', failure: { reason: 'HeartbeatMissing', message } })
  }
  if (awaitsReboot(node)) {
    const message = `the agent has finished, and the Node still shows the boot "${node.bootId}", which was to end`
    return untilReported(subject, { phase: 'Rebooting', failure: { reason: 'NotRebooted', message } })
  }
  const { proof } = context
  if (proof && isOpen(proof)) {
    const until = proof.kind === 'Underway' ? proof.until : undefined
    return { phase: 'Proving', pending: true, ...(until !== undefined && { until }) }
  }
  if (context.soak === 0) return { phase: 'Current', pending: false }
  const began = latestOf(soakStamps({ node, report, proof }), { assigned, clock: context })
  const soak = { began, soak: context.soak }
  const lasted = soakEnds(soak, context)
  const until = Math.max(lasted, soakHeardAt(soak, context))
  const pressure = pressureInSoak(subject, lasted)
  if (!pressure && context.now < until) return { phase: 'Soaking', pending: true, until }
  return pressure ? failedUnder(pressure) : { phase: 'Current', pending: false }
}

/** From the latest of them a soak counts. */
export function soakStamps({ node, report, proof }: Pick<Candidate, 'node' | 'report' | 'proof'>): readonly Instant[] {
  return [reportedAt(report), node.readySince, ...(proof && proof.kind !== 'Underway' ? [proof.at] : [])]
}

function whatItWaitsFor(report: AgentStatus, assigned: Assignment): string {
  const needs = report.needs ? `, needs "${report.needs}"; the allowed disruption is "${assigned.grant}"` : ''
  return `the agent is still at "${report.phase}"${needs}${report.error ? `: ${report.error.message}` : ''}`
}
