import { isSameData } from '../protocol/same-data.ts'
import type { Assessment } from '../rollout/decide.ts'
import { decideFleet, type FleetSnapshot, POOL_STEPS, type PoolSteps } from '../rollout/decide-fleet.ts'
import type { Decision } from '../rollout/model/decision.ts'
import type { FleetFacts } from '../rollout/model/fleet-facts.ts'
import type { PoolGrant } from '../rollout/model/grant.ts'
import type { Instant } from '../rollout/model/instant.ts'
import type { PoolSnapshot } from '../rollout/model/snapshot.ts'

export interface Decided {
  readonly decisions: ReadonlyMap<string, Decision>
  /** Pools that could not be decided upon, by a mistake of ours, and why: the others do not stand still for it. */
  readonly undecided: ReadonlyMap<string, unknown>
}

interface Last {
  readonly pool: PoolSnapshot
  readonly facts: FleetFacts
  readonly assessment: Assessment
  /** The decision that came of it, and what for. */
  concluded?: { readonly grant: PoolGrant; readonly decision: Decision }
}

/** Decides again only about pools for which something changed, or whose time has come: in a large fleet most of them rest. */
export class Decider {
  readonly #steps: PoolSteps
  #last: ReadonlyMap<string, Last> = new Map()

  constructor(steps: PoolSteps = POOL_STEPS) {
    this.#steps = steps
  }

  decide(fleet: FleetSnapshot, now: Instant): Decided {
    const known = new Map<string, Last>()
    const undecided = new Map<string, unknown>()
    const attempt = <T>(pool: string, work: () => T): T | undefined => {
      try {
        return work()
      } catch (error) {
        undecided.set(pool, error)
        return undefined
      }
    }
    const decisions = decideFleet(fleet, now, {
      assess: (pool, facts, at) => attempt(pool.name, () => this.#assess(known, { pool, facts, at })),
      conclude: (assessment, grant, at) => attempt(assessment.pool.name, () => this.#conclude(known, { assessment, grant, at })),
    })
    this.#last = known
    return { decisions, undecided }
  }

  #assess(
    known: Map<string, Last>,
    { pool, facts, at }: { readonly pool: PoolSnapshot; readonly facts: FleetFacts; readonly at: Instant },
  ): Assessment | undefined {
    const last = this.#last.get(pool.name)
    const held = last && isHeld(last, { pool, facts, at }) ? last : undefined
    const assessment = held?.assessment ?? this.#steps.assess(pool, facts, at, last?.assessment)
    if (assessment) known.set(pool.name, held ?? { pool, facts, assessment })
    return assessment
  }

  #conclude(
    known: ReadonlyMap<string, Last>,
    { assessment, grant, at }: { readonly assessment: Assessment; readonly grant: PoolGrant; readonly at: Instant },
  ): Decision | undefined {
    const last = known.get(assessment.pool.name)
    if (last?.concluded && isSameData(last.concluded.grant, grant)) return last.concluded.decision
    const decision = this.#steps.conclude(assessment, grant, at)
    if (last && decision) last.concluded = { grant, decision }
    return decision
  }
}

/** One that asked for something is not taken again as it was: what it asked for may have failed, and is to be stamped again. */
function isHeld(
  last: Last,
  { pool, facts, at }: { readonly pool: PoolSnapshot; readonly facts: FleetFacts; readonly at: Instant },
): boolean {
  if (last.pool !== pool || !isSameData(last.facts, facts) || last.concluded?.decision.actions.length !== 0) return false
  const { wakeAt } = last.assessment
  return wakeAt === undefined || at < wakeAt
}
