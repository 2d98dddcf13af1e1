import type { ClusterNode } from '../cache/cluster-node.ts'
import type { LabelPool } from '../execution/node-patch.ts'
import type { CompiledFleet } from '../fleet/compiled-fleet.ts'

export interface Members {
  /** Nodes by pool; every pool of the fleet has an entry. */
  readonly byPool: ReadonlyMap<string, readonly ClusterNode[]>
  /** By pool: what to say of the nodes that another pool claims too, and that are therefore left alone. */
  readonly contested: ReadonlyMap<string, readonly string[]>
  /** Nodes of no pool, or of several. */
  readonly strays: readonly ClusterNode[]
  /** Nodes whose label names the pool that they have left for another one. */
  readonly mislabelled: readonly LabelPool[]
}

/** Which pool each node belongs to, by the selectors of the accepted commit. */
export function assignMembers(fleet: CompiledFleet, nodes: Iterable<ClusterNode>): Members {
  const byPool = new Map<string, ClusterNode[]>([...fleet.pools.keys()].map((name) => [name, []]))
  const contested = new Map<string, string[]>()
  const strays: ClusterNode[] = []
  const mislabelled: LabelPool[] = []
  for (const node of nodes) {
    const owner = fleet.ownerOf(node.facts)
    if (owner.kind === 'owned') byPool.get(owner.pool)?.push(node)
    else strays.push(node)
    if (owner.kind === 'owned' && node.poolLabel !== undefined && node.poolLabel !== owner.pool)
      mislabelled.push({ kind: 'label', node: node.name, pool: owner.pool })
    if (owner.kind === 'contested') for (const pool of owner.pools) listIn(contested, pool).push(owner.message)
  }
  return { byPool, contested, strays, mislabelled }
}

function listIn(lists: Map<string, string[]>, pool: string): string[] {
  const list = lists.get(pool) ?? []
  lists.set(pool, list)
  return list
}
