import type { AgentStatus } from '../../protocol/agent-status.ts'
import { isAtWork } from './agent-report.ts'
import type { NodeView } from './node-view.ts'
import { hasFailedProof, isBeingProved } from './proof.ts'

/** A node, and what its agent says about the present assignment. */
export interface Reported {
  readonly node: NodeView
  readonly report: AgentStatus | undefined
}

/**
 * Unavailable for whatever reason: ours, the node's, or a person's. Counting only our own would let an outage and a rollout
 * add up. A node that was put back is as available as it was before.
 */
export function isUnavailable(node: NodeView, report: AgentStatus | undefined): boolean {
  if (!node.ready || node.staleReady || node.unschedulable) return true
  return isBeingProved(node, report) || cannotServe({ node, report }) || isAtWork(node, report)
}

/** Whatever its kubelet says: its agent could not restore it, or no pod runs. */
export function cannotServe({ node, report }: Reported): boolean {
  return report?.phase === 'Failed' || hasFailedProof(node, report)
}
