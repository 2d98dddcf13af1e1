import type { AgentStatus } from '../../protocol/agent-status.ts'
import type { NodeProof } from '../../protocol/node-proof.ts'
import { isApplied } from './agent-report.ts'
import type { Instant } from './instant.ts'
import type { NodeView, ProofPod } from './node-view.ts'

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

/** How it stands with the proof of a node by a pod. */
export type Proof =
  /** `at` is noted on the node, or is to be. */
  | { readonly kind: 'Passed'; readonly at: Instant; readonly isNoted: boolean }
  | { readonly kind: 'Failed'; readonly at: Instant; readonly isNoted: boolean; readonly message: string }
  /** Undefined `pod`: it is still to be made, or to be seen. */
  | { readonly kind: 'Underway'; readonly pod?: ProofPod; readonly until?: Instant }

/**
 * Nothing has shown yet that pods run, or the note of it is not on the Node. The note is written at the version of the Node that was read:
 * where the watch of nodes is behind that of pods, it is refused, for the pod may have run after the node had gone back.
 */
export function isOpen(
  proof: Proof,
): proof is Extract<Proof, { kind: 'Underway' }> | (Extract<Proof, { kind: 'Passed' }> & { readonly isNoted: false }) {
  return proof.kind === 'Underway' || (proof.kind === 'Passed' && !proof.isNoted)
}
