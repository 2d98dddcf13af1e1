import { mustDrain } from '../drain/requirement.ts'
import { disruptionOf, isEligible, isPastDraining } from '../exposure/eligible.ts'
import { lastResort } from '../exposure/last-resort.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { repairedWith } from '../target/repair.ts'
import { inOrder } from './order.ts'

/** A member whose turn it is, whatever may restrain it. */
export interface Eligible {
  readonly member: Member
  /** Its pods are gone, or cannot be waited for. */
  readonly drained: boolean
  /** Not a member of an open wave: it is selected only when nothing else can be. */
  readonly isLastResort?: boolean
}

export function eligibleNodes(poolState: PoolState): readonly Eligible[] {
  return poolState.rollout.state === 'Halted' ? repairs(poolState) : inSelectionOrder(poolState)
}

/** All that is done to a halted pool. */
function repairs(poolState: PoolState): readonly Eligible[] {
  const { pool, members, rollout } = poolState
  const down = members.filter((member) => repairedWith(member, rollout) !== undefined && isEligible(member, poolState))
  return undrained(inOrder(pool.name, down), poolState).map((member) => ({ member, drained: true }))
}

/** In order; those whose pods are gone first. */
function inSelectionOrder(poolState: PoolState): readonly Eligible[] {
  const { pool, members, now } = poolState
  const drained = inOrder(
    pool.name,
    members.filter(({ drain }) => drain?.kind === 'Done'),
  )
  const eligible = members.filter((member) => member.drain === undefined && isEligible(member, poolState))
  const isDrained = (member: Member) => isPastDraining(member, { now, policy: pool.policy })
  const known = new Set(eligible)
  const others = undrained(lastResort(poolState), poolState).filter((member) => !known.has(member))
  return [
    ...drained.map((member) => ({ member, drained: true })),
    ...inOrder(pool.name, eligible).map((member) => ({ member, drained: isDrained(member) })),
    ...others.map((member) => ({ member, drained: isDrained(member), isLastResort: true })),
  ]
}

/** Those that need no drain, or that no drain would ever end on. */
function undrained(members: readonly Member[], { pool: { policy }, now }: PoolState): readonly Member[] {
  return members.filter((member) => isPastDraining(member, { now, policy }) || !mustDrain(policy, disruptionOf(member)))
}
