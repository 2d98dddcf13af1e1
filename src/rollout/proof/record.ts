import type { AgentStatus } from '../../protocol/agent-status.ts'
import type { NodeProof } from '../../protocol/node-proof.ts'
import { isApplied } from '../model/agent-report.ts'
import type { NodeView } from '../model/node-view.ts'

/** What is noted of the present assignment; nothing while its agent is at work, nor when the agent put the host back. */
export function proofRecord({ assigned, proof }: NodeView, report: AgentStatus | undefined): NodeProof | undefined {
  if (!proof || !assigned || !isApplied(report)) return undefined
  return proof.digest === assigned.digest && proof.assignedAt === assigned.at ? proof : undefined
}

/** The agent is done, and a pod has not shown yet that pods can run. */
export function isBeingProved(node: NodeView, report: AgentStatus | undefined): boolean {
  return proofRecord(node, report)?.state === 'Wanted'
}

/** No pod can run on it: it is as bad as down, whatever its kubelet says. */
export function hasFailedProof(node: NodeView, report: AgentStatus | undefined): boolean {
  return proofRecord(node, report)?.state === 'Failed'
}
