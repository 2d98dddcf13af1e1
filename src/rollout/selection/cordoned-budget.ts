import { isForeignCordon, isOurCordon } from '../drain/cordon.ts'
import type { Member } from '../model/pool-state.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { allowedUnavailable, countUnavailable, isUnavailable } from './budget.ts'

/**
 * How many nodes that somebody cordoned may change now, where the policy says that they change. They are unavailable already, but run
 * pods still: so no more of them are at work at once than may be unavailable.
 */
export function remainingCordoned(members: readonly Member[], { policy }: Pick<PoolSnapshot, 'policy'>): number {
  const others = members.filter((member) => !isIdleUnderCordon(member))
  return Math.max(0, allowedUnavailable(policy.maxUnavailable, members.length) - countUnavailable(others))
}

/** Somebody cordoned it, and nothing else makes it unavailable: what we drained it for, if anything, is over. */
export function isIdleUnderCordon({ node, report, drain }: Member): boolean {
  const isTheirs = isForeignCordon(node) || (drain?.kind === 'Over' && !isOurCordon(node))
  return isTheirs && !isUnavailable({ ...node, unschedulable: false }, report)
}
