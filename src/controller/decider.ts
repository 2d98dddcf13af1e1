import { decideFleet } from '../rollout/decide-fleet.ts'
import type { Decision } from '../rollout/decision.ts'
import type { Instant, PoolSnapshot } from '../rollout/snapshot.ts'

/** Decides anew only for pools of which something changed, or whose time has come: in a large fleet most of them rest. */
export class Decider {
  #last: ReadonlyMap<string, { readonly snapshot: PoolSnapshot; readonly decision: Decision }> = new Map()

  decide(pools: readonly PoolSnapshot[], now: Instant): ReadonlyMap<string, Decision> {
    const fresh = decideFleet({ pools: pools.filter((pool) => !this.#holds(pool, now)) }, now)
    const decided = pools.flatMap((snapshot) => {
      const decision = fresh.get(snapshot.name) ?? this.#last.get(snapshot.name)?.decision
      return decision ? [[snapshot.name, { snapshot, decision }] as const] : []
    })
    this.#last = new Map(decided)
    return new Map(decided.map(([name, { decision }]) => [name, decision]))
  }

  /** One that asked for something is not taken again as it was: what it asked for may have failed, and is to be stamped anew. */
  #holds(snapshot: PoolSnapshot, now: Instant): boolean {
    const last = this.#last.get(snapshot.name)
    if (last?.snapshot !== snapshot || last.decision.actions.length > 0) return false
    return last.decision.wakeAt === undefined || now < last.decision.wakeAt
  }
}
