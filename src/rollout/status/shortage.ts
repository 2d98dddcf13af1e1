import type { FleetUse, HeldPlaces } from '../model/grant.ts'
import type { PoolState } from '../model/pool-state.ts'
import { listNames } from '../model/text.ts'
import { allowedUnavailable, remainingBudget } from '../selection/budget.ts'
import { budgetHolders } from '../selection/budget-holders.ts'
import type { Selection } from '../selection/select.ts'

/**
 * Which nodes use up the budget that a pool waits for, and what helps: `; the fleet's budget is used up by "b-0" of "b": …`. Empty while work
 * goes on that gives a place back.
 */
export function describeShortage(state: PoolState, fleet: FleetUse | undefined): string {
  return fleet ? shortOfFleet(fleet) : shortOfOwn(state)
}

/** What helps where a control-plane node keeps others from being changed, and no work of ours makes it available again. */
export function describeAwaited({ blocker, awaitedNode }: Selection): string {
  if (blocker?.byNode === undefined || !awaitedNode) return ''
  return `; repair ${describeHeld(awaitedNode)}${otherWays([awaitedNode])}`
}

function shortOfOwn(state: PoolState): string {
  const { pool, members } = state
  if (allowedUnavailable(pool.policy.maxUnavailable, members.length) === 0)
    return '; maxUnavailable of the pool allows none: raise it'
  const [first, ...others] = budgetHolders(state)
  if (!first) return ''
  const named = `"${first.node}" (${first.why})${others.length === 0 ? '' : ` and ${others.length} more`}`
  // What is left of the budget is for the zone that has begun.
  if (pool.policy.zones === 'OneAtATime' && remainingBudget(members, pool) > 0)
    return `; zones: OneAtATime lets no other zone begin before ${named}: repair them`
  return `; used up by ${named}: repair them, or raise maxUnavailable of the pool`
}

function shortOfFleet({ allowed, held, sharedWith }: FleetUse): string {
  if (allowed === 0) return '; maxUnavailable of the Fleet allows none: raise it'
  if (held.length > 0) return `; the fleet's budget is used up by ${held.map(describeHeld).join(', and by ')}: ${remedyFor(held)}`
  return sharedWith.length > 0 ? `; the fleet's budget is shared with ${listNames(sharedWith)}` : ''
}

function describeHeld({ pool, nodes, waits, isPaused }: HeldPlaces): string {
  if (pool === undefined) return `${listNames(nodes)} of no pool`
  return `${listNames(nodes)} of "${pool}"${waits ? ', which waits for this pool' : ''}${isPaused ? ', which is paused' : ''}`
}

function remedyFor(held: readonly HeldPlaces[]): string {
  return `repair them${otherWays(held)}, or raise maxUnavailable of the Fleet`
}

function otherWays(held: readonly HeldPlaces[]): string {
  const [paused, back] = [held.find(({ isPaused }) => isPaused), held.find(({ canRollBack }) => canRollBack)]
  return `${paused ? `, or nodewave resume ${paused.pool}` : ''}${back ? `, or nodewave rollback ${back.pool}` : ''}`
}
