import { mustDrain } from '../drain/requirement.ts'
import { disruptionOf, isEligible, isPastDraining } from '../exposure/eligible.ts'
import { inOrder } from '../model/member-order.ts'
import type { Member, PoolState } from '../model/pool-state.ts'

/** A member whose turn it is, whatever may restrain it. */
export interface Eligible {
  readonly member: Member
  /** Its pods are gone, or cannot be waited for. */
  readonly drained: boolean
}

/** In order; those whose pods are gone first. */
export function eligibleNodes(poolState: PoolState): readonly Eligible[] {
  const { pool, members, now, rollout } = poolState
  const drained = inOrder(
    pool.name,
    members.filter(({ drain }) => drain?.kind === 'Done'),
  )
  const eligible = inOrder(
    pool.name,
    members.filter((member) => member.drain === undefined && isEligible(member)),
  )
  const judged = eligible.map((member) => ({ member, drained: isPastDraining(member, { now, policy: pool.policy }) }))
  return [
    ...drained.map((member) => ({ member, drained: true })),
    // A halted pool begins no drain: what needs one is left as it is.
    ...judged.filter(
      ({ member, drained }) => rollout.state !== 'Halted' || drained || !mustDrain(pool.policy, disruptionOf(member)),
    ),
  ]
}
