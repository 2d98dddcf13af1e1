import { isSameData } from '../protocol/same-data.ts'
import type { Assessment } from '../rollout/decide.ts'
import { decideFleet, type FleetSnapshot, POOL_STEPS, type PoolSteps } from '../rollout/decide-fleet.ts'
import type { Decision } from '../rollout/model/decision.ts'
import type { FleetFacts } from '../rollout/model/fleet-facts.ts'
import type { PoolGrant } from '../rollout/model/grant.ts'
import type { Instant } from '../rollout/model/instant.ts'
import type { PoolSnapshot } from '../rollout/model/snapshot.ts'
import { remembersDecision } from '../rollout/remembers-decision.ts'

export interface Decided {
  readonly decisions: ReadonlyMap<string, Decision>
  /** Pools that could not be decided upon, by a mistake of ours, and why: the others do not stand still for it. */
  readonly undecided: ReadonlyMap<string, unknown>
}

interface Last {
  readonly pool: PoolSnapshot
  readonly facts: FleetFacts
  /** Perhaps of the pool before it remembered the status that came of it. */
  assessment: Assessment
  /** The decision that came of it, and what for. */
  concluded?: { readonly grant: PoolGrant; readonly decision: Decision }
}

/**
 * Decides again only about pools for which something changed, or whose time has come: in a large fleet most of them rest. The status of
 * a decision that comes back as the memory of its pool is no change.
 */
export class Decider {
  readonly #steps: PoolSteps
  #last: ReadonlyMap<string, Last> = new Map()

  constructor(steps: PoolSteps = POOL_STEPS) {
    this.#steps = steps
  }

  /** Of the last decision, for whoever wants to look. */
  assessments(): readonly Assessment[] {
    return [...this.#last.values()].map(({ assessment }) => assessment)
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

  #assess(known: Map<string, Last>, { pool, facts, at }: Asked): Assessment | undefined {
    const last = this.#last.get(pool.name)
    const held = last && heldFrom(last, { pool, facts, at })
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
    const decided = last ? this.#remembering(last, at) : assessment
    const decision = decided && this.#steps.conclude(decided, grant, at)
    if (last && decision) last.concluded = { grant, decision }
    return decision
  }

  /** Another conclusion needs to know what the pool remembers by now. */
  #remembering(last: Last, at: Instant): Assessment | undefined {
    const { pool, facts, assessment } = last
    if (assessment.pool.memory === pool.memory) return assessment
    const again = this.#steps.assess(pool, facts, at, assessment)
    if (again) last.assessment = again
    return again
  }
}

interface Asked {
  readonly pool: PoolSnapshot
  readonly facts: FleetFacts
  readonly at: Instant
}

/** One that asked for something is not taken again as it was: what it asked for may have failed, and is to be stamped again. */
function heldFrom(last: Last, { pool, facts, at }: Asked): Last | undefined {
  const { assessment, concluded } = last
  const isDue = assessment.wakeAt !== undefined && at >= assessment.wakeAt
  if (concluded?.decision.actions.length !== 0 || isDue || !isSameData(last.facts, facts)) return undefined
  if (last.pool === pool) return last
  const { grant, decision } = concluded
  if (!remembersDecision(pool, { before: last.pool, decision })) return undefined
  return { pool, facts, assessment, concluded: { grant, decision: withoutEvents(decision) } }
}

/** They were reported when the status was written. */
function withoutEvents(decision: Decision): Decision {
  return decision.events.length === 0 ? decision : { ...decision, events: [] }
}
