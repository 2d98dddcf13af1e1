import { isSameData } from '../../../../src/protocol/same-data.ts'
import { decideFleet } from '../../../../src/rollout/decide-fleet.ts'
import type { Action, Decision } from '../../../../src/rollout/model/decision.ts'
import type { Invariant } from '../invariants.ts'

/** It costs as much as all other claims together, and decisions of a story are alike: those of every fourth second are asked. */
const EVERY = 4_000

/** One more decision shows both: that nothing depends on an order, and that a status says all that the next decision needs. */
export const sameAgain: Invariant = {
  claim: 'a decision with its own status as memory, and pools and nodes in another order, is the same and tells nothing new',
  ofDecision({ fleet, decisions, at }) {
    if (at % EVERY >= 1_000) return true
    const pools = fleet.pools.toReversed().map((pool) => {
      const memory = decisions.get(pool.name)?.status ?? pool.memory
      return { ...pool, memory, nodes: pool.nodes.toReversed() }
    })
    const again = decideFleet({ ...fleet, pools }, at)
    return [...decisions].every(([name, decision]) => isSame(decision, again.get(name)))
  },
}

function isSame(decision: Decision, again: Decision | undefined): boolean {
  if (again === undefined || again.events.length > 0) return false
  const [actions, actionsAgain] = [decision.actions.filter(isDone), again.actions.filter(isDone)]
  return isSameData(decision.status, again.status) && isSameData(actions, actionsAgain)
}

/** A control is cleared only once the status says that it was observed. */
function isDone({ kind }: Action): boolean {
  return kind !== 'clearControl'
}
