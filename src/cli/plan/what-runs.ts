import type { PoolPlan } from '../../render/plan-pool.ts'
import type { GivenNode } from '../../simulate/given-node.ts'
import { assignedNodes } from './assigned-nodes.ts'
import type { KnownPools } from './known-pools.ts'
import { type PlannedEnds, type RunningPool, runningPool } from './running-pool.ts'

interface Running extends PlannedEnds {
  readonly known: KnownPools
  readonly nodes: readonly GivenNode[]
}

/** What the cluster says of each pool of a plan; nothing where no cluster was asked. */
export function whatRuns({ known, nodes, ...ends }: Running): (plan: PoolPlan) => { readonly runs?: RunningPool } {
  if (typeof known === 'string') return () => ({})
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const compare = ends.before && assignedNodes(ends.before)
  return ({ pool: name, nodes: names }) => {
    const assigned = compare?.(names.flatMap((node) => byName.get(node) ?? []))
    return { runs: runningPool(name, { pool: known.get(name), assigned }, ends) }
  }
}
