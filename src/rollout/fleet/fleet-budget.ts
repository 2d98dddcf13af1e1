import { isOurCordon } from '../drain/cordon.ts'
import { isAtWork, reportOf } from '../model/agent-report.ts'
import type { NodeView } from '../model/node-view.ts'
import type { Share } from '../model/policy.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { allowedUnavailable, countUnavailable } from '../selection/budget.ts'

export interface FleetNodes {
  readonly pools: readonly PoolSnapshot[]
  /** Nodes of no pool, or of several. */
  readonly strays?: readonly NodeView[]
}

/** How many more nodes of the fleet may become unavailable; absent: each pool's own budget alone counts. */
export function fleetBudget({ pools, strays = [] }: FleetNodes, maxUnavailable: Share | undefined): number | undefined {
  if (maxUnavailable === undefined) return undefined
  const total = pools.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const unavailable = pools.reduce((sum, pool) => sum + unavailableIn(pool), 0)
  return Math.max(0, allowedUnavailable(maxUnavailable, total) - unavailable - strayHolders(strays).length)
}

function unavailableIn({ nodes }: PoolSnapshot): number {
  return countUnavailable(nodes.map((node) => ({ node, report: reportOf(node) })))
}

/** Nodes that left their pool while a rollout had them unavailable, or that are down since. A cordon of somebody else is no work of ours. */
export function strayHolders(strays: readonly NodeView[]): readonly string[] {
  return strays
    .filter((node) => node.assigned !== undefined || node.mark !== undefined)
    .filter((node) => !node.ready || isOurCordon(node) || isAtWork(node, reportOf(node)))
    .map(({ name }) => name)
    .sort()
}
