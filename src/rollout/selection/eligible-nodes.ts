import { mustDrain } from '../drain/requirement.ts'
import { disruptionOf } from '../exposure/disruption.ts'
import { isEligible } from '../exposure/eligible.ts'
import { isPastDraining, outageClock } from '../exposure/past-draining.ts'
import { cannotServe } from '../model/availability.ts'
import { isUnderDrain } from '../model/cordon.ts'
import { inOrder } from '../model/member-order.ts'
import type { Member, PoolContext, PoolState } from '../model/pool-state.ts'

/** Members that may get something now, whatever blocks the pool. In order; those whose pods are gone first. */
export function eligibleNodes(poolState: PoolState): readonly Member[] {
  const { members, notAtRest, rollout } = poolState
  const drained = inOrder(notAtRest.filter(({ drain }) => drain?.kind === 'Done'))
  const eligible = inOrder(members.filter((member) => member.drain === undefined && isEligible(member)))
  // A halted pool begins no drain: what needs one is left as it is.
  return [...drained, ...(rollout.state === 'Halted' ? eligible.filter((member) => !isToDrain(member, poolState)) : eligible)]
}

/** Its pods go first. */
export function isToDrain(member: Member, context: PoolContext): boolean {
  return !isDrained(member, context) && mustDrain(context.pool.policy, disruptionOf(member))
}

/** Its pods are gone, or cannot be waited for. */
function isDrained(member: Member, context: PoolContext): boolean {
  return member.drain?.kind === 'Done' || isPastDraining(member, outageClock(context)) || isStillDrained(member)
}

/** It stays cordoned since the drain for what it has, because it does not serve: no pod has come to it. */
function isStillDrained({ node, report }: Member): boolean {
  const { mark, assigned } = node
  return isUnderDrain(node) && mark !== undefined && mark.at <= (assigned?.at ?? 0) && cannotServe({ node, report })
}
