import type { PoolState } from '../model/pool-state.ts'
import { returnsFromFailure } from '../model/rollout.ts'
import type { Explanation } from './explanation.ts'
import type { Movement } from './movement.ts'

/** After a failure of the newest commit, or because an operator asked: until the older content has completed again. */
export function isRollingBack({ pool, rollout }: PoolState): boolean {
  return rollout.state === 'InProgress' && (rollout.memory.rollback !== undefined || returnsFromFailure(pool, rollout))
}

export function directionOf(poolState: PoolState): 'RollingBack' | 'RollingOut' {
  return isRollingBack(poolState) ? 'RollingBack' : 'RollingOut'
}

interface Findings {
  readonly stall: Explanation
  readonly work: Explanation
  readonly movement: Pick<Movement, 'moves' | 'awaits'>
}

/**
 * A pool whose nodes are not back yet is not "RolledBack": what it does or waits for is the reason, after why it goes back. Where nothing
 * moves and nothing is waited for, the stall says what keeps the nodes.
 */
export function whileRollingBack(poolState: PoolState, { stall, work, movement }: Findings): Explanation | undefined {
  if (stall.reason !== 'RolledBack' || !isRollingBack(poolState)) return undefined
  if (work.reason === 'RollingBack' && !movement.moves && !movement.awaits) return undefined
  return { reason: work.reason, message: `${stall.message}; ${work.message}` }
}
