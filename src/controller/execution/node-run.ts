import type { NodeRun } from '../../protocol/node-history.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { reportOf } from '../../rollout/model/agent-report.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'

/** What the node was at until now, when it is assigned something else; undefined when it goes on with the same work. */
export function runBefore(view: NodeView, next: { readonly digest: string; readonly at: Instant }): NodeRun | undefined {
  const { assigned } = view
  if (!assigned) return undefined
  const report = reportOf(view)
  const hasEnded = report?.phase === 'Applied' || report?.phase === 'RolledBack' || report?.phase === 'Failed'
  // A greater grant for what is under way is no new run.
  if (assigned.digest === next.digest && !hasEnded) return undefined
  return {
    revision: shortRevision(assigned.revision, 12),
    until: new Date(next.at).toISOString(),
    ...(assigned.at !== undefined && { from: new Date(assigned.at).toISOString() }),
    ...(report && { phase: report.phase }),
    ...(hasEnded && { done: report.since.slice(0, 40) }),
    ...(report?.kubelet !== undefined && { version: report.kubelet.slice(0, 40) }),
    ...(report?.error && { reason: report.error.reason.slice(0, 60) }),
  }
}
