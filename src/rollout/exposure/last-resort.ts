import { isOurCordon } from '../drain/cordon.ts'
import { isAtWork } from '../model/agent-report.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { allowedUnavailable } from '../selection/budget.ts'
import { inOrder } from '../selection/order.ts'

/**
 * Nodes that are down wait for their wave like others: a zone that comes back must not meet an unproven target all at once.
 * But when they use up the whole budget, no wave can begin, and what would mend them never reaches them. Then as many of
 * them as may be unavailable try it out of turn.
 */
export function lastResort(poolState: PoolState): readonly Member[] {
  const { members, pool, rollout } = poolState
  if (rollout.state !== 'InProgress' || members.some(isBusy)) return []
  const down = members.filter(isLyingDown)
  const trying = down.filter(({ assigned }) => assigned).length
  const places = Math.max(0, allowedUnavailable(pool.policy.maxUnavailable, members.length) - trying)
  const others = down.filter(({ assigned }) => !assigned)
  return inOrder(pool.name, others).slice(0, places)
}

/** It will give back its part of the budget by itself. */
function isBusy({ node, report }: Member): boolean {
  return node.ready && (isAtWork(node, report) || isOurCordon(node))
}

/** And nobody has a hand on it. */
function isLyingDown({ node, progress, drain }: Member): boolean {
  if (drain?.kind === 'Aside' && drain.because !== 'Down') return false
  return !node.ready && progress.phase === 'Unreachable'
}
