import { type Draft, errorAt } from '../draft.ts'
import { poolDependencies } from '../pool-dependencies.ts'
import type { Problem } from '../problem.ts'
import { didYouMean } from '../suggest.ts'

/** Its own cluster never says more of a commit than the pool itself; and another one that has no such name is waited for without end. */
export function checkClusterDependencies({ documents, clusters }: Draft): Problem[] {
  const [own] = documents.Cluster.keys()
  return [...documents.NodePool.values()].flatMap((pool) =>
    (pool.spec.dependsOn ?? []).flatMap((each, index): Problem[] => {
      if (typeof each === 'string') return []
      const path = ['dependsOn', index, 'cluster']
      if (own === undefined) {
        const message = `pool "${pool.name}" waits for cluster "${each.cluster}", and the repository is for one cluster`
        return [errorAt(pool, path, { reason: 'MissingReference', message, remedy: CLUSTERS })]
      }
      if (each.cluster === own) {
        const message = `"${own}" is the cluster of pool "${pool.name}" itself`
        return [errorAt(pool, path, { reason: 'InvalidValue', message, remedy: `write  - ${each.pool}` })]
      }
      if (clusters.has(each.cluster)) return []
      const message = `no Cluster is named "${each.cluster}"`
      const remedy = didYouMean(each.cluster, clusters) ?? CLUSTERS
      return [{ ...errorAt(pool, path, { reason: 'MissingReference', message, remedy }), severity: 'warning' }]
    }),
  )
}

const CLUSTERS = 'see docs/clusters.md'

/** Pools that wait for each other would wait for ever. Each cycle is reported once, at its first pool by name. */
export function checkDependencies({ documents: { NodePool: pools } }: Draft): Problem[] {
  const settled = new Set<string>()
  const dependenciesOf = (name: string): readonly string[] => {
    const pool = pools.get(name)
    return pool ? poolDependencies(pool.spec).dependsOn : []
  }
  return [...pools.keys()].flatMap((name) => {
    const cycle = cycleFrom(name, dependenciesOf, settled)
    const pool = cycle && pools.get(cycle[0] ?? '')
    if (!cycle || !pool) return []
    const message = `pools depend on each other in a circle: ${[...cycle, cycle[0]].join(' → ')}`
    return [
      errorAt(pool, ['dependsOn', (pool.spec.dependsOn ?? []).indexOf(cycle[1] ?? pool.name)], {
        reason: 'DependencyCycle',
        message,
        remedy: 'remove one of these dependsOn',
      }),
    ]
  })
}

/** Depth first; `settled` collects what needs no second look. */
export function cycleFrom(start: string, next: (name: string) => readonly string[], settled: Set<string>): string[] | undefined {
  const trail: string[] = []
  const visit = (name: string): string[] | undefined => {
    if (trail.includes(name)) return trail.slice(trail.indexOf(name))
    if (settled.has(name)) return undefined
    settled.add(name)
    trail.push(name)
    for (const dependency of next(name)) {
      const cycle = visit(dependency)
      if (cycle) return cycle
    }
    trail.pop()
    return undefined
  }
  return visit(start)
}
