import type { CordonMark } from '../../protocol/cordon-mark.ts'
import type { Names } from '../../protocol/names.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { PatchAction } from './queued-action.ts'

export interface Answered {
  /** The version that the write was based on. */
  readonly sent: string
  /** As the API server answered. */
  readonly node: ClusterNode
  readonly names: Names
}

/**
 * A webhook may change what is written, and the API server says nothing of that. What is not there then would be written again and again.
 * @throws {Error} when the node does not show what was written
 */
export function refuseLoss(action: PatchAction, { sent, node, names }: Answered): void {
  const hasItsWish = hasWish(action, node)
  if (node.resourceVersion !== sent && isKept(action, node) && hasItsWish) return
  throw new Error(
    `the API server does not keep ${hasItsWish ? keyOf(action, names) : names.proof} as written; correct the webhook that changes it`,
  )
}

/** An assignment that wants a proof counts as done before a pod has run where nothing says that it does. */
function hasWish(action: PatchAction, { view: { proof } }: ClusterNode): boolean {
  if (action.kind !== 'assign' || action.proof === undefined) return true
  return proof?.digest === action.digest && proof.assignedAt === action.at
}

/** The node shows what the action writes. */
export function isKept(action: PatchAction, { view, poolLabel, signedBy }: ClusterNode): boolean {
  switch (action.kind) {
    case 'assign':
      return view.assigned?.digest === action.digest && view.assigned.at === action.at
    case 'sign':
      return signedBy !== undefined
    case 'label':
      return poolLabel === action.pool
    case 'cordon':
      return isSameMark(view.mark, action.mark) && (view.unschedulable || action.mark.state !== 'Ours')
    case 'clearReboot':
      return view.rebootRequest === undefined
    case 'allowByHand':
      return (view.byHandAllowed ?? false) === action.allowed
    case 'recordProof':
      return view.proof?.state === action.proof.state
    // A cordon without its mark counts as somebody else's; each repair of settings is noted, and counted.
    case 'uncordon':
    case 'restore':
      return true
  }
}

function isSameMark(kept: CordonMark | undefined, { digest, state }: CordonMark): boolean {
  return kept?.digest === digest && kept.state === state
}

function keyOf({ kind }: PatchAction, names: Names): string {
  switch (kind) {
    case 'assign':
    case 'sign':
      return names.desiredConfig
    case 'label':
      return names.pool
    case 'cordon':
    case 'uncordon':
      return names.cordonedFor
    case 'clearReboot':
      return names.reboot
    case 'allowByHand':
      return names.byHand
    case 'recordProof':
      return names.proof
    case 'restore':
      return names.settings
  }
}
