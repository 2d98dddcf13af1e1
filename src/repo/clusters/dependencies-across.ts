import { cycleFrom } from '../checks/dependencies.ts'
import type { Doc, FleetModel } from '../model.ts'
import type { Problem } from '../problem.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import type { Path } from '../source.ts'
import { didYouMean } from '../suggest.ts'

/** Pools by `staging/workers`. */
type Pools = ReadonlyMap<string, { readonly cluster: string; readonly pool: Doc<NodePoolSpec> }>

/** A controller reads its own cluster: only who reads them all sees that pools of several wait for ever. */
export function problemsAcross(models: readonly FleetModel[]): readonly Problem[] {
  const pools: Pools = new Map(
    models.flatMap(({ cluster, pools }) =>
      cluster === undefined
        ? []
        : [...pools.values()].map((pool) => [`${cluster.name}/${pool.name}`, { cluster: cluster.name, pool }] as const),
    ),
  )
  return [...missingPools(pools), ...cycles(pools)]
}

function missingPools(pools: Pools): Problem[] {
  const clusters = new Set([...pools.values()].map(({ cluster }) => cluster))
  return [...pools.values()].flatMap(({ pool }) =>
    (pool.spec.dependsOn ?? []).flatMap((each, index): Problem[] => {
      if (typeof each === 'string' || !clusters.has(each.cluster) || pools.has(`${each.cluster}/${each.pool}`)) return []
      const known = [...pools.values()].filter(({ cluster }) => cluster === each.cluster).map((other) => other.pool.name)
      const message = `pool "${pool.name}" waits for "${each.pool}", and cluster "${each.cluster}" has no NodePool of this name`
      const remedy = didYouMean(each.pool, known) ?? `known: ${known.join(', ')}`
      return [problemAt(pool, ['dependsOn', index, 'pool'], { reason: 'MissingReference', message, remedy })]
    }),
  )
}

function cycles(pools: Pools): Problem[] {
  const settled = new Set<string>()
  return [...pools.keys()].flatMap((name) => {
    const cycle = cycleFrom(name, (each) => awaitedOf(pools, each), settled)
    const [first = '', second = first] = cycle ?? []
    const found = pools.get(first)
    if (!cycle || !found) return []
    const message = `pools of several clusters depend on each other in a circle: ${[...cycle, first].join(' → ')}`
    const path = ['dependsOn', awaitedOf(pools, first).indexOf(second)]
    return [problemAt(found.pool, path, { reason: 'DependencyCycle', message, remedy: 'remove one of these dependsOn' })]
  })
}

function awaitedOf(pools: Pools, name: string): readonly string[] {
  const { cluster: own, pool } = pools.get(name) ?? {}
  return (pool?.spec.dependsOn ?? []).map((each) =>
    typeof each === 'string' ? `${own}/${each}` : `${each.cluster}/${each.pool}`,
  )
}

function problemAt({ source }: Doc<NodePoolSpec>, path: Path, told: Pick<Problem, 'reason' | 'message' | 'remedy'>): Problem {
  return { severity: 'error', at: { text: '', width: 0, ...source.where(path) }, ...told }
}
