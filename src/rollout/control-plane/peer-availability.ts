import { reportOf } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import { isOurCordon } from '../model/cordon.ts'
import type { NodeView } from '../model/node-view.ts'
import { hasFailedProof } from '../model/proof.ts'

/** A cordon of ours says that its turn is now, or has just been; its parts of the control plane run on. */
export function isPeerUnavailable(node: NodeView): boolean {
  return isUnwell(node) || (node.unschedulable && !isOurCordon(node))
}

/** Whoever cordoned it: a cordon alone is no damage. */
export function isUnwell(node: NodeView): boolean {
  return isUnavailable({ ...node, unschedulable: false }, reportOf(node))
}

export function whyUnavailable(node: NodeView): string {
  const report = reportOf(node)
  if (!node.ready) return 'is not Ready'
  if (hasFailedProof(node, report)) return 'can run no pod'
  if (report?.phase === 'Failed') return 'could not be restored after a change'
  return node.staleReady ? 'has a kubelet that has not reported since it was restarted' : 'is cordoned'
}
