import { allowedUnavailable, isUnavailable } from './budget.ts'
import type { ControlPlaneView } from './control-plane.ts'
import { controlPlaneTurns } from './control-plane-turns.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import { reportOf } from './report.ts'
import type { FleetFacts, Instant, NodeView, PoolSnapshot, Share } from './snapshot.ts'

export interface FleetSnapshot {
  readonly pools: readonly PoolSnapshot[]
  readonly policy: FleetPolicy
  readonly controls: FleetControls
  /** Absent where nothing can be seen of it, as of nodes that are only imagined. */
  readonly controlPlane?: ControlPlaneView
}

/** What holds over all pools together. */
export interface FleetPolicy {
  /** How many nodes may be unavailable; absent: each pool's own budget alone counts. */
  readonly maxUnavailable?: Share
}

/** What a person set for the fleet as a whole. */
export interface FleetControls {
  /** Why, if at all. */
  readonly paused?: string
}

/** How one pool is decided, once it is known what the others mean to it. */
export type DecidePool = (pool: PoolSnapshot, facts: FleetFacts, now: Instant) => Decision

const decideAnew: DecidePool = (pool, facts, now) => decide({ ...pool, fleet: facts }, now)

/**
 * A decision for each pool, by name. The fleet's own cap, and the turn of the control plane's nodes, are handed out in the order of
 * names: what one pool takes, the next has less.
 */
export function decideFleet(
  { pools, policy, controls, controlPlane }: FleetSnapshot,
  now: Instant,
  decidePool: DecidePool = decideAnew,
): ReadonlyMap<string, Decision> {
  let left = policy.maxUnavailable && fleetBudget(pools, policy.maxUnavailable)
  const turns = controlPlaneTurns(controlPlane)
  const decisions = new Map<string, Decision>()
  for (const pool of pools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const facts = { ...controls, ...(left !== undefined && { budget: left }), ...turns.factsFor(pool) }
    const decision = decidePool(pool, facts, now)
    decisions.set(pool.name, decision)
    turns.decided(decision)
    if (left !== undefined) left = Math.max(0, left - newlyUnavailable(pool, decision))
  }
  return decisions
}

function fleetBudget(pools: readonly PoolSnapshot[], maxUnavailable: Share): number {
  const total = pools.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const down = pools.reduce((sum, pool) => sum + downIn(pool), 0)
  return Math.max(0, allowedUnavailable(maxUnavailable, total) - down)
}

/** Most pools are the same as in the last pass, and need not be counted again. */
const counted = new WeakMap<PoolSnapshot, number>()

function downIn(pool: PoolSnapshot): number {
  const down = counted.get(pool) ?? pool.nodes.filter(isDown).length
  counted.set(pool, down)
  return down
}

function newlyUnavailable({ nodes }: PoolSnapshot, { actions }: Decision): number {
  const assigned = new Set(actions.map((action) => (action.kind === 'assign' ? action.node : undefined)))
  if (assigned.size === 0) return 0
  return nodes.filter((node) => assigned.has(node.name) && !isDown(node)).length
}

function isDown(node: NodeView): boolean {
  return isUnavailable(node, reportOf(node))
}
