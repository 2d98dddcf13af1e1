import type { Invariant } from '../invariants.ts'
import type { SimNode } from '../sim-node.ts'
import type { Take, World } from '../world.ts'
import { allowed } from './steps.ts'

/** Late news may hide an outage from the controller, but never what it has done itself. */
export const trueBudget: Invariant = {
  claim: 'no more nodes are disturbed by us than a pool and the fleet may have down, whatever the controller has heard',
  ofWorld: (world) => world.takes.every((take) => !take.disturbs || keepsBudgets(world, take)),
}

function keepsBudgets({ nodes, rules }: World, { node, observed }: Take): boolean {
  const disturbed = [...nodes.values()].filter((other) => other.disturbed)
  const members = (pool: string): number => observed.fleet.pools.find(({ name }) => name === pool)?.nodes.length ?? 0
  const policy = rules.pools.get(node.pool)
  if (!policy || countOf(disturbed, node.pool) > allowed(policy.maxUnavailable, members(node.pool))) return false
  const total = observed.fleet.pools.reduce((sum, pool) => sum + pool.nodes.length, 0)
  const { maxUnavailable } = observed.fleet.policy
  return maxUnavailable === undefined || disturbed.length <= allowed(maxUnavailable, total)
}

function countOf(nodes: readonly SimNode[], pool: string): number {
  return nodes.filter((node) => node.pool === pool).length
}
