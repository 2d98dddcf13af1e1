import { isDeepStrictEqual } from 'node:util'
import { decideFleet } from '../../../../src/rollout/decide-fleet.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'

export const fixpoint: Invariant = {
  claim: 'a decision taken again with its own status as memory is the same, and has nothing to tell',
  ofDecision(observed: Observed) {
    const { decisions } = observed
    return [...takenAgain(observed)].every(
      ([name, again]) => isDeepStrictEqual(again.status, decisions.get(name)?.status) && again.events.length === 0,
    )
  },
}

/** A decision whose status is what was remembered is that one itself. */
function takenAgain({ fleet, decisions, at }: Observed): Observed['decisions'] {
  const statusOf = (name: string) => decisions.get(name)?.status
  if (fleet.pools.every(({ name, memory }) => isDeepStrictEqual(memory, statusOf(name)))) return decisions
  const pools = fleet.pools.map((pool) => ({ ...pool, memory: statusOf(pool.name) ?? pool.memory }))
  return decideFleet({ ...fleet, pools }, at)
}
