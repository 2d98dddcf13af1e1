import type { RequestedBy } from '../protocol/requested-by.ts'
import { controlPlaneFacts } from './control-plane/control-plane-facts.ts'
import type { ControlPlaneView } from './control-plane/control-plane-view.ts'
import { type Assessment, assess, conclude } from './decide.ts'
import { strayCordons as strayCordonsOf } from './drain/strays.ts'
import { NOTHING_GRANTED } from './fleet/arbiter.ts'
import { type FleetNodes, fleetBudget } from './fleet/fleet-budget.ts'
import { grantFleet } from './fleet/grant-fleet.ts'
import type { Decision } from './model/decision.ts'
import type { FleetFacts, FleetStop } from './model/fleet-facts.ts'
import type { PoolGrant } from './model/grant.ts'
import type { Instant } from './model/instant.ts'
import type { Share } from './model/policy.ts'
import type { Memory, PoolSnapshot } from './model/snapshot.ts'
import { awaitedBy, inOrderOfDependency } from './target/dependencies.ts'
import { type FailureMemory, fleetStop } from './target/fleet-stop.ts'

export interface FleetSnapshot extends FleetNodes {
  readonly policy: FleetPolicy
  readonly controls: FleetControls
  /** Absent where nothing can be seen of it, as of nodes that are only imagined. */
  readonly controlPlane?: ControlPlaneView
  /** Failures of each pool for which its nodes were read again. Absent: they are as the snapshot has them. */
  readonly confirmed?: ReadonlyMap<string, FailureMemory>
  /** Pools whose completion of the newest commit is not written, and why. Absent: what a pool remembers is written. */
  readonly unwritten?: ReadonlyMap<string, string>
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
  /** The pause stops drains under way, too. */
  readonly stopDrains?: true
  /** A commit that may go on in spite of what failed at it. */
  readonly retry?: string
  /** A commit that may be taken though it does more at once than the fleet lets through. */
  readonly promoted?: string
}

/** How a pool is assessed and concluded. Undefined: it cannot be; nothing is granted to it, and its nodes count as they are. */
export interface PoolSteps {
  readonly assess: (pool: PoolSnapshot, facts: FleetFacts, now: Instant, last?: Assessment) => Assessment | undefined
  readonly conclude: (assessment: Assessment, grant: PoolGrant, now: Instant) => Decision | undefined
}

export const POOL_STEPS: PoolSteps = {
  assess: (pool, facts, now, last) => assess({ ...pool, fleet: facts }, now, last),
  conclude,
}

/** A decision for each pool, by name: each pool asks, one arbiter grants, and what was granted is concluded. */
export function decideFleet(fleet: FleetSnapshot, now: Instant, steps = POOL_STEPS): ReadonlyMap<string, Decision> {
  const claims = assessFleet(fleet, { now, steps })
  const budget = fleetBudget({ ...fleet, claims }, fleet.policy.maxUnavailable)
  const grants = grantFleet({ ...fleet, claims, budget })
  const decisions = new Map<string, Decision>()
  for (const [name, assessment] of claims) {
    const decision = steps.conclude(assessment, grants.get(name) ?? NOTHING_GRANTED, now)
    if (decision) decisions.set(name, decision)
  }
  return decisions
}

type Assessments = ReadonlyMap<string, Assessment>

/** A stop shows failures, and these change what is said of the stop: at most once for each of some nodes. */
const MOST_STOPS = 4

/**
 * What one pool shows may stop the others: then they are assessed again, so that no pool goes on in the pass that found it. Nodes whose
 * drains that stops may have failed: then once more.
 */
function assessFleet(fleet: FleetSnapshot, assessing: Omit<Assessing, 'stopped'>): Assessments {
  const { pools, policy, confirmed } = fleet
  const stopOf = (memoryOf: (pool: PoolSnapshot) => FailureMemory): string | undefined =>
    policy.maxFailures && fleetStop(policy.maxFailures, { pools, memoryOf })
  const isConfirmed = confirmed === undefined || stopOf(({ name }) => confirmed.get(name) ?? {}) !== undefined
  const assessWith = (why: string | undefined): Assessments =>
    assessInOrder(fleet, { ...assessing, ...(why !== undefined && { stopped: { why, isConfirmed } }) })
  let stopped = stopOf(({ memory }) => memory)
  let assessed = assessWith(stopped)
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    const found = stopOf((pool) => assessed.get(pool.name)?.memory ?? pool.memory)
    // A pool that a stop keeps from beginning shows nothing of what failed there.
    if (found === stopped || (found === undefined && stops > 0)) break
    stopped = found
    assessed = assessWith(stopped)
  }
  return assessed
}

interface Assessing {
  readonly now: Instant
  readonly steps: PoolSteps
  readonly stopped?: FleetStop
}

/** Each pool after those that it depends on, otherwise by name. */
function assessInOrder(
  { pools, strays = [], controls: { paused, pausedBy, stopDrains, retry }, controlPlane, unwritten }: FleetSnapshot,
  { now, steps, stopped }: Assessing,
): Assessments {
  const factsOfControlPlane = controlPlaneFacts(controlPlane, strays)
  const cordons = strayCordonsOf(strays, pools)
  const assessments = new Map<string, Assessment>()
  const memories = new Map<string, Memory>()
  for (const pool of inOrderOfDependency(pools)) {
    const awaited = awaitedBy(pool, { pools, memories, unwritten })
    const strayCordons = cordons.get(pool.name)
    const facts = { paused, pausedBy, stopDrains, stopped, retry, awaited, strayCordons, ...factsOfControlPlane(pool) }
    const assessment = steps.assess(pool, facts, now)
    if (assessment) assessments.set(pool.name, assessment)
    memories.set(pool.name, assessment?.memory ?? pool.memory)
  }
  return assessments
}
