import { isDeepStrictEqual } from 'node:util'
import { decideFleet } from '../../../../src/rollout/decide-fleet.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'

export const fixpoint: Invariant = {
  claim: 'a decision taken again with its own status as memory is the same, and has nothing to tell',
  ofDecision({ fleet, decisions, at }: Observed) {
    const pools = fleet.pools.map((pool) => ({ ...pool, memory: decisions.get(pool.name)?.status ?? pool.memory }))
    return [...decideFleet({ ...fleet, pools }, at)].every(
      ([name, again]) => isDeepStrictEqual(again.status, decisions.get(name)?.status) && again.notices.length === 0,
    )
  },
}
