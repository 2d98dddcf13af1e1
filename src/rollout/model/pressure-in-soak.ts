import { reportedAt } from './agent-report.ts'
import type { AssignedNode } from './assigned-node.ts'
import { type Instant, stamp } from './instant.ts'
import { failed, type NodeProgress } from './node-progress.ts'
import type { Pressure } from './node-view.ts'
import { isInRollout } from './wanted-assignment.ts'

/**
 * That came after the assignment and in the soak. Also after the soak: else the node would show that the content works by having failed in time.
 * @param lasted when the soak ends
 */
export function pressureInSoak(subject: AssignedNode, lasted: Instant): Pressure | undefined {
  const { node, assigned } = subject
  if (!isTried(subject)) return undefined
  return node.pressures?.find(
    ({ since }) => (since >= (assigned.at ?? since) && since < lasted) || isInSoakByOwnClock(since, subject, lasted),
  )
}

/** Under which it failed before: the node shows since when it lasts, and the pool remembers that it counted, whatever has become of the soak. */
export function lastingPressure(subject: AssignedNode): Pressure | undefined {
  const { node, assigned, report, context } = subject
  const { failedAs = [] } = context
  if (!isTried(subject)) return undefined
  const from = Math.min(assigned.at ?? Number.NEGATIVE_INFINITY, reportedAt(report))
  return node.pressures?.find(({ type, since }) => since >= from && failedAs.includes(type))
}

/** What the rollout under way neither changes nor has assigned is not tried: what came of it counted before. */
function isTried({ assigned, context }: AssignedNode): boolean {
  return context.changes !== false || isInRollout(assigned, context)
}

/**
 * Kubelet and agent stamp by one clock, which may be behind that of the controller. What came since the work was done is in the soak while that
 * lasts: what lengthens it, such as a proof, is of the controller's clock.
 */
function isInSoakByOwnClock(since: Instant, { node, report, context }: AssignedNode, lasted: Instant): boolean {
  const done = reportedAt(report)
  return since >= done && (context.now < lasted || since < Math.max(done, node.readySince) + context.soak)
}

export function failedUnder({ type, since }: Pressure): NodeProgress {
  return failed({ reason: type, message: `node has ${type} since ${stamp(since)}, in its soak` })
}
