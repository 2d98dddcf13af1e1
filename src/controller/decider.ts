import { isDeepStrictEqual } from 'node:util'
import { decide } from '../rollout/decide.ts'
import { type DecidePool, decideFleet, type FleetSnapshot } from '../rollout/decide-fleet.ts'
import type { Decision } from '../rollout/decision.ts'
import type { FleetFacts } from '../rollout/fleet-facts.ts'
import type { Instant } from '../rollout/instant.ts'
import type { PoolSnapshot } from '../rollout/snapshot.ts'

interface Decided {
  readonly pool: PoolSnapshot
  readonly facts: FleetFacts
  readonly decision: Decision
}

/** Decides anew only about pools for which something changed, or whose time has come: in a large fleet most of them rest. */
export class Decider {
  #last: ReadonlyMap<string, Decided> = new Map()

  decide(fleet: FleetSnapshot, now: Instant): ReadonlyMap<string, Decision> {
    const decided = new Map<string, Decided>()
    const decidePool: DecidePool = (pool, facts, at) => {
      const decision = this.#held(pool, facts, at) ?? decide({ ...pool, fleet: facts }, at)
      decided.set(pool.name, { pool, facts, decision })
      return decision
    }
    const decisions = decideFleet(fleet, now, decidePool)
    this.#last = decided
    return decisions
  }

  /** One that asked for something is not taken again as it was: what it asked for may have failed, and is to be stamped anew. */
  #held(pool: PoolSnapshot, facts: FleetFacts, now: Instant): Decision | undefined {
    const last = this.#last.get(pool.name)
    if (last?.pool !== pool || !isDeepStrictEqual(last.facts, facts) || last.decision.actions.length > 0) return undefined
    const { wakeAt } = last.decision
    return wakeAt === undefined || now < wakeAt ? last.decision : undefined
  }
}
