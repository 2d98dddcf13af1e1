import { allowedUnavailable, isUnavailable } from './budget.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import { reportOf } from './report.ts'
import type { Instant, NodeView, PoolSnapshot, Share } from './snapshot.ts'

export interface FleetSnapshot {
  readonly pools: readonly PoolSnapshot[]
  /** How many nodes of all pools together may be unavailable; absent: each pool's own budget alone counts. */
  readonly maxUnavailable?: Share
}

/**
 * A decision for each pool, by name. The fleet's own cap is handed out in the order of names: what one pool takes, the
 * next has less.
 */
export function decideFleet({ pools, maxUnavailable }: FleetSnapshot, now: Instant): ReadonlyMap<string, Decision> {
  let left = maxUnavailable === undefined ? undefined : fleetBudget(pools, maxUnavailable)
  const decisions = new Map<string, Decision>()
  for (const pool of pools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const decision = decide(left === undefined ? pool : { ...pool, fleetBudget: left }, now)
    decisions.set(pool.name, decision)
    if (left !== undefined) left = Math.max(0, left - newlyUnavailable(pool, decision))
  }
  return decisions
}

function fleetBudget(pools: readonly PoolSnapshot[], maxUnavailable: Share): number {
  const nodes = pools.flatMap((pool) => pool.nodes)
  return Math.max(0, allowedUnavailable(maxUnavailable, nodes.length) - nodes.filter(isDown).length)
}

function newlyUnavailable({ nodes }: PoolSnapshot, { actions }: Decision): number {
  const assigned = new Set(actions.map((action) => (action.kind === 'assign' ? action.node : undefined)))
  return nodes.filter((node) => assigned.has(node.name) && !isDown(node)).length
}

function isDown(node: NodeView): boolean {
  return isUnavailable(node, reportOf(node))
}
