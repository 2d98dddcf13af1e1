import type { PoolState } from '../model/pool-state.ts'
import { shortName } from '../model/text.ts'
import type { Selection } from '../selection/select.ts'
import { isRollbackLost } from '../target/target.ts'
import type { Explanation } from './explanation.ts'
import { heldElsewhere } from './held-elsewhere.ts'
import { endRollbackCommand } from './remedies.ts'

/** Nothing else is what the person asked for. */
export function lostRollback({ pool, rollout }: PoolState): Explanation | undefined {
  const { rollback } = rollout.memory
  if (!rollback || !isRollbackLost(rollout.memory, rollout.target)) return undefined
  return {
    reason: 'Halted',
    message: `${shortName(rollback.to)} can no longer be rendered; no node changes; ${endOfRollback(pool)}`,
  }
}

/** A person has the pool elsewhere than the repository does. */
export function askedRollback({ pool, rollout, notAtRest }: PoolState, { blocker }: Selection): Explanation | undefined {
  const { rollback } = rollout.memory
  if (!rollback) return undefined
  const isDone = rollout.state === 'Completed'
  const by = rollback.who === undefined ? '' : ` by ${rollback.who}`
  const what = `${isDone ? 'rolled' : 'rolls'} back to ${shortName(rollback.to)}${by} at ${rollback.at}`
  // What ends the pause comes first: the same command ends the rollback afterwards.
  if (!isDone && blocker?.reason === 'Paused') return { reason: 'Paused', message: `${what}; ${blocker.message}` }
  return { reason: 'RolledBack', message: `${what}${heldElsewhere(notAtRest)}; ${endOfRollback(pool)}` }
}

function endOfRollback({ name }: PoolState['pool']): string {
  return `push another commit, or: ${endRollbackCommand(name)}`
}
