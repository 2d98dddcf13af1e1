import type { NodePoolStatus } from '../protocol/node-pool.ts'
import type { RequestedBy } from '../protocol/requested-by.ts'
import { awaitedBy, inOrderOfDependency } from './blockers/dependencies.ts'
import { fleetStop } from './blockers/fleet-stop.ts'
import type { ControlPlaneView } from './control-plane/control-plane.ts'
import { controlPlaneTurns } from './control-plane/control-plane-turns.ts'
import { decide } from './decide.ts'
import { fleetBudget, newlyUnavailable, unavailableNodes } from './fleet/fleet-budget.ts'
import type { Decision } from './model/decision.ts'
import type { FleetFacts } from './model/fleet-facts.ts'
import type { Instant } from './model/instant.ts'
import type { Share } from './model/policy.ts'
import type { Memory, PoolSnapshot } from './model/snapshot.ts'

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
  /** How many nodes may fail at one commit before it is stopped in every pool; absent: each pool's own measure alone counts. */
  readonly maxFailures?: Share
}

/** What a person set for the fleet as a whole. */
export interface FleetControls {
  /** Why, if at all. */
  readonly paused?: string
  /** Who wrote or removed that, if they said. */
  readonly pausedBy?: RequestedBy
  /** A commit that may go on in spite of what failed at it. */
  readonly retry?: string
  /** A commit that may be taken though it does more at once than the fleet lets through. */
  readonly promoted?: string
}

/** How one pool is decided, once it is known what the others mean to it. */
export type DecidePool = (pool: PoolSnapshot, facts: FleetFacts, now: Instant) => Decision

const decideAnew: DecidePool = (pool, facts, now) => decide({ ...pool, fleet: facts }, now)

/**
 * A decision for each pool, by name. What one pool shows may stop the others: then they are decided again, so that nobody goes on in
 * the pass that found it.
 */
export function decideFleet(fleet: FleetSnapshot, now: Instant, decidePool: DecidePool = decideAnew): Decisions {
  const { pools, policy, controls } = fleet
  const stopOf = (memoryOf: (pool: PoolSnapshot) => Memory): string | undefined =>
    policy.maxFailures && fleetStop(policy.maxFailures, { pools, memoryOf, retry: controls.retry })
  const known = stopOf(({ memory }) => memory)
  const decisions = decideInTurn(fleet, { now, decidePool, stopped: known })
  const found = stopOf((pool) => decisions.get(pool.name)?.status ?? pool.memory)
  return found === known ? decisions : decideInTurn(fleet, { now, decidePool, stopped: found })
}

type Decisions = ReadonlyMap<string, Decision>

interface Deciding {
  readonly now: Instant
  readonly decidePool: DecidePool
  readonly stopped: string | undefined
}

/**
 * Each pool after those that it depends on, otherwise by name. The fleet's own cap, and the turn of the control plane's nodes, are
 * handed out in that order: what one pool takes, the next has less.
 */
function decideInTurn(
  { pools, policy, controls: { paused, pausedBy }, controlPlane }: FleetSnapshot,
  { now, decidePool, stopped }: Deciding,
): Decisions {
  let left = policy.maxUnavailable && fleetBudget(pools, policy.maxUnavailable)
  const turns = controlPlaneTurns(controlPlane)
  const decisions = new Map<string, Decision>()
  const statuses = new Map<string, NodePoolStatus>()
  for (const pool of inOrderOfDependency(pools)) {
    const awaited = awaitedBy(pool, { pools, statuses })
    const facts = {
      ...(paused !== undefined && { paused }),
      ...(pausedBy && { pausedBy }),
      ...(stopped !== undefined && { stopped }),
      ...(left !== undefined && { budget: left }),
      ...(left === 0 && { unavailable: unavailableNodes(pools, { pool, now }) }),
      ...(awaited.length > 0 && { awaited }),
      ...turns.factsFor(pool),
    }
    const decision = decidePool(pool, facts, now)
    decisions.set(pool.name, decision)
    statuses.set(pool.name, decision.status)
    turns.decided(decision)
    if (left !== undefined) left = Math.max(0, left - newlyUnavailable(pool, decision))
  }
  return decisions
}
