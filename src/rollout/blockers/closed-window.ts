import { windowState } from '../../calendar/windows.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Instant } from '../model/instant.ts'
import type { PoolContext } from '../model/pool-state.ts'
import { isSuperseded, returnsFromFailure } from '../model/rollout.ts'

/**
 * Outside its windows a pool begins with no further node. Nodes that join get what is proven at once, for until then they serve
 * nobody; and a pool goes back at once by default: what broke it will not wait for the night. A person who sends it back means now.
 * Once it is back, it has its windows again: it may stay there for weeks.
 */
export function closedWindow(poolState: PoolContext): Blocker | undefined {
  const { open, until } = windowState(poolState.pool.policy.windows, poolState.now)
  if (open || (poolState.rollout.state !== 'Completed' && returnsAtOnce(poolState))) return undefined
  const next = until === undefined ? 'none opens within 400 days' : `the next opens at ${minuteOf(until)}`
  const message = `no window is open, ${next}; nodes that have started finish`
  const sparesReturning = poolState.rollout.state === 'Completed' && returnsAtOnce(poolState)
  const spares = { sparesJoining: true, ...(sparesReturning && { sparesReturning }) }
  return { reason: 'WaitingForWindow', message, stalls: until === undefined, ...(until && { until }), ...spares }
}

/** When the window that is open closes. */
export function closingTime({ pool, now }: PoolContext): Instant | undefined {
  const { open, until } = windowState(pool.policy.windows, now)
  return open ? until : undefined
}

function returnsAtOnce({ pool, rollout }: PoolContext): boolean {
  if (rollout.memory.rollback) return true
  return pool.policy.rollbackOutsideWindows && (returnsFromFailure(pool, rollout) || isSuperseded(rollout))
}

/** `2026-12-24T21:00Z` */
function minuteOf(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 16)}Z`
}
