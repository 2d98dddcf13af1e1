import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import type { SimNode } from '../sim-node.ts'
import type { Take, World } from '../world.ts'
import { allowed } from './steps.ts'

/** Late news may hide from the controller that a node is down, or that people moved it, but never what it has done itself. */
export const trueBudget: Invariant = {
  claim: 'no more nodes are disturbed by us than a pool and the fleet may have down, whatever the controller has heard',
  ofWorld: (world) => world.takes.every((take) => !take.disturbs || keepsBudgets(world, take)),
}

function keepsBudgets({ nodes, rules }: World, { node, observed }: Take): boolean {
  const disturbed = [...nodes.values()].filter((other) => other.disturbed)
  const members = (pool: string): number => observed.fleet.pools.find(({ name }) => name === pool)?.nodes.length ?? 0
  const policy = rules.pools.get(node.pool)
  if (!policy || disturbed.filter(isOf(node.pool, observed)).length > allowed(policy.maxUnavailable, members(node.pool)))
    return false
  const total = observed.fleet.pools.reduce((sum, pool) => sum + pool.nodes.length, 0)
  const { maxUnavailable } = observed.fleet.policy
  return maxUnavailable === undefined || disturbed.length <= allowed(maxUnavailable, total)
}

/** By the pool in which the controller saw it; people may have moved it from no pool to one since. */
function isOf(pool: string, { fleet: { pools, strays = [] } }: Observed): (node: SimNode) => boolean {
  const has = (nodes: readonly { readonly name: string }[], { name }: SimNode): boolean =>
    nodes.some((other) => other.name === name)
  return (node) => {
    const seen = pools.find(({ nodes }) => has(nodes, node))?.name
    return seen === undefined ? node.pool === pool && !has(strays, node) : seen === pool
  }
}
