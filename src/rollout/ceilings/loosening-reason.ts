import { type ComparedFleet, type ComparedPolicy, type Loosening, loosenedFleet, loosenedPolicy } from './loosened-policy.ts'

/** One side of a commit. */
export interface PolicySide {
  readonly fleet: ComparedFleet
  readonly pools: ReadonlyMap<string, ComparedPolicy>
}

export interface PolicyChange {
  readonly before: PolicySide
  readonly after: PolicySide
  /** Nodes by the pool before and after; also of those that keep their pool. */
  readonly moves: readonly { readonly from: string; readonly to: string; readonly nodes: number }[]
  /** Nodes whose content changes. */
  readonly touched: number
  /** Where a field of a pool stands after the commit, or of the Fleet: `pools/workers.yaml:12`. */
  readonly placeOf: (field: string, pool?: string) => string | undefined
}

/** Fields that a sentence names; the others are counted. */
const NAMED = 5

/** Pure: why a commit that loosens rollout policy together with content is held; undefined: it does not do both. */
export function looseningReason(change: PolicyChange): string | undefined {
  const loosened = change.touched > 0 ? loosenings(change) : []
  if (loosened.length === 0) return undefined
  const more = loosened.length > NAMED ? [`${loosened.length - NAMED} more`] : []
  const what = [...loosened.slice(0, NAMED), ...more].join(', ')
  const nodes = `${change.touched} ${change.touched === 1 ? 'node' : 'nodes'}`
  return `it changes ${nodes} and loosens the rollout policy: ${what}; push one of the two first, and the other when that is accepted`
}

function loosenings({ before, after, moves, placeOf }: PolicyChange): string[] {
  const all = moves.reduce((sum, { nodes }) => sum + nodes, 0)
  const ofFleet = loosenedFleet(before.fleet, after.fleet, all).map((each) => sentence(each, 'the Fleet', placeOf(each.field)))
  const kept = [...before.pools.keys()].filter((pool) => after.pools.has(pool)).map((pool) => ({ from: pool, to: pool }))
  const moved = moves.filter(({ from, to }) => from !== to)
  const ofPools = [...kept, ...moved].flatMap(({ from, to }) => {
    const [old, policy] = [before.pools.get(from), after.pools.get(to)]
    if (!old || !policy) return []
    const size = moves.reduce((sum, move) => sum + (move.to === to ? move.nodes : 0), 0)
    const whose = from === to ? `pool "${to}"` : `pool "${to}", which takes nodes of "${from}"`
    return loosenedPolicy(old, policy, size).map((each) => sentence(each, whose, placeOf(each.field, to)))
  })
  return [...ofFleet, ...ofPools]
}

function sentence({ field, from, to }: Loosening, whose: string, place: string | undefined): string {
  return `${field} of ${whose}${place === undefined ? '' : ` (${place})`}: ${from} → ${to}`
}
