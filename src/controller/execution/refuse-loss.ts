import type { Names } from '../../protocol/names.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { RestoreSettings } from '../node-settings/restore-settings.ts'
import type { SignNode } from '../signing/sign-node.ts'
import type { LabelPool, NodeAction } from './node-patch.ts'

/**
 * A webhook may change what is written, and the API server says nothing of that. What is not there then would be written again and again.
 * @param node as the API server answered
 * @throws {Error} when it does not show what was written
 */
export function refuseLoss(
  action: NodeAction | LabelPool | SignNode | RestoreSettings,
  { node, names }: { readonly node: ClusterNode; readonly names: Names },
): void {
  const lost = lostBy(action, node, names)
  if (lost !== undefined) throw new Error(`the API server does not keep ${lost} as written; correct the webhook that changes it`)
}

function lostBy(
  action: Parameters<typeof refuseLoss>[0],
  { view, poolLabel, signedBy }: ClusterNode,
  names: Names,
): string | undefined {
  const { assigned } = view
  if (action.kind === 'assign' && (assigned?.digest !== action.digest || assigned.at !== action.at)) return names.desiredConfig
  if (action.kind === 'sign' && signedBy === undefined) return names.desiredConfig
  return action.kind === 'label' && poolLabel !== action.pool ? names.pool : undefined
}
