import { isDeepStrictEqual } from 'node:util'
import { decide } from '../rollout/decide.ts'
import { type DecidePool, decideFleet, type FleetSnapshot } from '../rollout/decide-fleet.ts'
import type { Decision } from '../rollout/model/decision.ts'
import type { FleetFacts } from '../rollout/model/fleet-facts.ts'
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
  readonly decision: Decision
}

/** Decides anew only about pools for which something changed, or whose time has come: in a large fleet most of them rest. */
export class Decider {
  readonly #decideOne: typeof decide
  #last: ReadonlyMap<string, Last> = new Map()

  constructor(decideOne = decide) {
    this.#decideOne = decideOne
  }

  decide(fleet: FleetSnapshot, now: Instant): Decided {
    const decided = new Map<string, Last>()
    const undecided = new Map<string, unknown>()
    const decidePool: DecidePool = (pool, facts, at) => {
      try {
        const decision = this.#held(pool, facts, at) ?? this.#decideOne({ ...pool, fleet: facts }, at)
        decided.set(pool.name, { pool, facts, decision })
        return decision
      } catch (error) {
        undecided.set(pool.name, error)
        return nothingDecided(pool)
      }
    }
    const decisions = new Map(decideFleet(fleet, now, decidePool))
    for (const pool of undecided.keys()) decisions.delete(pool)
    this.#last = decided
    return { decisions, undecided }
  }

  /** One that asked for something is not taken again as it was: what it asked for may have failed, and is to be stamped anew. */
  #held(pool: PoolSnapshot, facts: FleetFacts, now: Instant): Decision | undefined {
    const last = this.#last.get(pool.name)
    if (last?.pool !== pool || !isDeepStrictEqual(last.facts, facts) || last.decision.actions.length > 0) return undefined
    const { wakeAt } = last.decision
    return wakeAt === undefined || now < wakeAt ? last.decision : undefined
  }
}

/** What the other pools see of one that was not decided upon: as it was, and nothing taken. */
function nothingDecided({ memory, nodes }: PoolSnapshot): Decision {
  const counts = { total: nodes.length, current: 0, byPhase: {} }
  return { actions: [], events: [], status: { ...memory, rollbackTo: [], nodes: counts } }
}
