import type { Assignment } from '../../rollout/model/node-view.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { SignNode } from './sign-node.ts'

/** In one pass and pool: nothing waits for them. */
const AT_ONCE = 64

/**
 * Nodes that have what they were assigned, and whose assignment another key signed, or none: they get the same once more, signed. Others wait
 * for their next assignment: what is signed again is applied again, and a change that failed would be tried again.
 */
export function unsignedNodes(
  pool: string,
  { nodes, keyId }: { readonly nodes: readonly ClusterNode[]; readonly keyId: string },
): SignNode[] {
  const isDue = ({ view, signedBy }: ClusterNode) =>
    signedBy !== keyId &&
    view.assigned?.pool === pool &&
    view.assigned.at !== undefined &&
    view.status?.phase === 'Applied' &&
    view.status.digest === view.assigned.digest
  return nodes
    .filter(isDue)
    .slice(0, AT_ONCE)
    .flatMap(({ name, view: { assigned } }) => signAgain(name, assigned) ?? [])
}

/** Under a counter of its own, like every assignment. */
function signAgain(node: string, assigned: Assignment | undefined): SignNode | undefined {
  if (assigned?.at === undefined) return undefined
  const { digest, revision, pool, grant, reboot, nodeWas, at } = assigned
  return { kind: 'sign', node, digest, revision, pool, grant, at, ...(reboot && { reboot }), ...(nodeWas && { nodeWas }) }
}
