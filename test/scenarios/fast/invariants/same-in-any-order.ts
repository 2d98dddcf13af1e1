import { isDeepStrictEqual } from 'node:util'
import { decideFleet } from '../../../../src/rollout/decide-fleet.ts'
import type { Invariant } from '../invariants.ts'

export const sameInAnyOrder: Invariant = {
  claim: 'the order of pools and nodes does not matter',
  ofDecision({ fleet, decisions, at }) {
    const pools = fleet.pools.toReversed().map((pool) => ({ ...pool, nodes: pool.nodes.toReversed() }))
    const other = decideFleet({ ...fleet, pools }, at)
    return [...decisions].every(([name, decision]) => isDeepStrictEqual(other.get(name), decision))
  },
}
