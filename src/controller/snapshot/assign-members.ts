import { mapOnce } from '../../protocol/map-once.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { LabelPool } from '../execution/node-patch.ts'
import type { CompiledFleet, Ownership } from '../fleet/compiled-fleet.ts'

export interface Members {
  /** Nodes by pool; every pool of the fleet has an entry. */
  readonly byPool: ReadonlyMap<string, readonly ClusterNode[]>
  /** By pool: what to say of the nodes that another pool claims too, and that are therefore left alone. */
  readonly contested: ReadonlyMap<string, readonly string[]>
  /** Nodes of no pool, or of several. */
  readonly strays: readonly ClusterNode[]
  /** Nodes whose label names the pool that they have left for another one, or is lost. */
  readonly mislabelled: readonly LabelPool[]
}

/** What pools there are, and whose each node is. */
export interface Owners extends Pick<CompiledFleet, 'ownerOf'> {
  readonly pools: ReadonlyMap<string, unknown>
}

/** Where a node belongs. */
interface Place {
  /** Absent: to no pool. */
  readonly pool?: string
  readonly contested?: Extract<Ownership, { kind: 'contested' }>
  readonly isMislabelled?: true
}

/** Which pool each node belongs to, by the selectors of the accepted commit. */
export function assignMembers(fleet: Owners, nodes: Iterable<ClusterNode>): Members {
  return membersOf(fleet)([...nodes])
}

/** The same of one list after the other: selectors are asked about nodes that have changed. */
export function membersOf(fleet: Owners): (nodes: readonly ClusterNode[]) => Members {
  // Most nodes are a usual member of their pool, and share what is said of it.
  const usual = new Map<string, Place>([...fleet.pools.keys()].map((pool) => [pool, { pool }]))
  const placesOf = mapOnce((node: ClusterNode) => placeOf(node, fleet, usual))
  return (nodes) => sorted(nodes, placesOf(nodes), fleet)
}

function placeOf({ facts, poolLabel, view }: ClusterNode, fleet: Owners, usual: ReadonlyMap<string, Place>): Place {
  const owner = fleet.ownerOf(facts)
  if (owner.kind === 'unowned') return NOWHERE
  if (owner.kind === 'contested') return { contested: owner }
  const { pool } = owner
  // What was never assigned anything has no label yet.
  const isMislabelled = poolLabel !== pool && (poolLabel !== undefined || view.assigned !== undefined)
  return isMislabelled ? { pool, isMislabelled } : (usual.get(pool) ?? { pool })
}

const NOWHERE: Place = {}

function sorted(nodes: readonly ClusterNode[], places: readonly Place[], { pools }: Owners): Members {
  const byPool = new Map<string, ClusterNode[]>([...pools.keys()].map((name) => [name, []]))
  const contested = new Map<string, string[]>()
  const strays: ClusterNode[] = []
  const mislabelled: LabelPool[] = []
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index] as ClusterNode
    const { pool, contested: claims, isMislabelled } = places[index] ?? NOWHERE
    if (pool === undefined) strays.push(node)
    else byPool.get(pool)?.push(node)
    if (pool !== undefined && isMislabelled) mislabelled.push({ kind: 'label', node: node.name, pool })
    for (const each of claims?.pools ?? []) listIn(contested, each).push(claims?.message ?? '')
  }
  return { byPool, contested, strays, mislabelled }
}

function listIn(lists: Map<string, string[]>, pool: string): string[] {
  const list = lists.get(pool) ?? []
  lists.set(pool, list)
  return list
}
