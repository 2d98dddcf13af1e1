import type { Action } from '../../rollout/model/decision.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodesByName } from '../cache/node-list.ts'
import type { RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { PayloadAccess } from './payload-access.ts'
import { readablesOf } from './readables-of.ts'

export interface MembersToAnnounce {
  readonly actions: readonly Action[]
  readonly nodes: Pick<NodesByName, 'get'>
  /** Of the pool. */
  readonly members: readonly ClusterNode[]
  readonly rendered: (node: ClusterNode, revision: string) => RenderedConfig | undefined
}

/** As soon as nodes are assigned a payload with a Role that they share, the others of the pool that are to read it get their right, too. */
export function announceMembers(
  access: Pick<PayloadAccess, 'unannounced' | 'announce'> | undefined,
  { actions, nodes, members, rendered }: MembersToAnnounce,
): void {
  if (!access) return
  for (const action of actions) {
    if (action.kind !== 'assign') continue
    const node = nodes.get(action.node)
    const config = node && rendered(node, action.revision)
    if (!config) continue
    for (const object of access.unannounced(readablesOf(config))) {
      const reads = (member: ClusterNode) => readablesOf(rendered(member, action.revision) ?? { payloads: [] }).includes(object)
      access.announce(members.filter(reads), object)
    }
  }
}
