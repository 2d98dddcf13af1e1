import { isSameData } from '../protocol/same-data.ts'
import type { FleetView, PoolView, WaveView } from './fleet-view.ts'

/** What makes one view of the other: most changes are a few nodes of one pool. */
export interface ViewChanges {
  /** Pools that are new, or whose waves have other nodes: as a whole. */
  readonly pools: readonly PoolView[]
  /** Pools whose nodes are the same ones. */
  readonly changed: readonly PoolChange[]
  readonly gone: readonly string[]
}

export interface PoolChange extends Omit<PoolView, 'waves'> {
  readonly waves: readonly (Omit<WaveView, 'nodes' | 'phases'> & {
    /** Index and phase of each node that changed. */
    readonly changed: readonly (readonly [number, WaveView['phases'][number]])[]
  })[]
}

/** @returns undefined when there are none */
export function changesBetween(before: FleetView, after: FleetView): ViewChanges | undefined {
  const known = new Map(before.pools.map((pool) => [pool.name, pool]))
  const pools: PoolView[] = []
  const changed: PoolChange[] = []
  for (const pool of after.pools) {
    const last = known.get(pool.name)
    known.delete(pool.name)
    if (last === undefined || !hasSameNodes(last, pool)) pools.push(pool)
    else if (!isSameData(last, pool)) changed.push(changeOf(last, pool))
  }
  const gone = [...known.keys()]
  return pools.length + changed.length + gone.length === 0 ? undefined : { pools, changed, gone }
}

function hasSameNodes(a: PoolView, b: PoolView): boolean {
  return isSameData(
    a.waves.map(({ name, nodes }) => [name, nodes]),
    b.waves.map(({ name, nodes }) => [name, nodes]),
  )
}

function changeOf(before: PoolView, after: PoolView): PoolChange {
  return {
    ...after,
    waves: after.waves.map(({ name, state, phases }, index) => {
      const last = before.waves[index]?.phases ?? []
      return { name, state, changed: phases.flatMap((phase, node) => (phase === last[node] ? [] : [[node, phase] as const])) }
    }),
  }
}
