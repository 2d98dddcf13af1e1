import { isUnavailable, type Reported } from '../model/availability.ts'
import type { Share } from '../model/policy.ts'
import type { Places } from '../model/proposal.ts'
import { resolveShare } from '../model/share.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'

/** How many nodes count as unavailable, how many of these serve all the same, and how many are idle. */
export interface BudgetUse {
  readonly unavailable: number
  readonly serving: number
  readonly idle: number
}

export function placesLeft(allowed: number, { unavailable, serving, idle }: BudgetUse): Places {
  const left = allowed - unavailable
  return {
    places: Math.max(0, left),
    servingPlaces: Math.max(0, left + serving),
    idlePlaces: Math.max(0, left + serving + idle),
  }
}

/** How many more nodes of the pool its own budget lets become unavailable now; never negative. */
export function remainingBudget(members: readonly Reported[], { policy }: Pick<PoolSnapshot, 'policy'>): number {
  return Math.max(0, allowedUnavailable(policy.maxUnavailable, members.length) - countUnavailable(members))
}

export function countUnavailable(members: readonly Reported[]): number {
  return members.filter(({ node, report }) => isUnavailable(node, report)).length
}

/** A percentage allows at least one: a small pool that can never be changed helps nobody. `0` and `0%` are none. */
export function allowedUnavailable(share: Share, total: number): number {
  return 'percent' in share && share.percent > 0 ? Math.max(1, resolveShare(share, total)) : resolveShare(share, total)
}
