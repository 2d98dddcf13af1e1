import type { LostNode } from '../../protocol/node-pool.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isProven, REJECTED_KEPT, recallStable, refOf } from '../model/remembered-revision.ts'
import type { Memory } from '../model/snapshot.ts'
import type { Failures } from '../model/target-failures.ts'
import { describeFailures, listNames } from '../model/text.ts'
import { endRollout } from '../target/history.ts'

export function rejectForNodes(poolState: PoolState, { failures, replaced }: Failures): Memory {
  return reject(poolState, describeAll(failures, replaced))
}

/** `"b": …; "a": replaced after it had failed …` */
function describeAll(failures: readonly Member[], replaced: readonly LostNode[]): string {
  if (replaced.length === 0) return describeFailures(failures)
  const gone = `${listNames(replaced.map(({ name }) => name))}: replaced after having failed, or not having been Ready for a minute, in the middle of the change`
  return failures.length === 0 ? gone : `${describeFailures(failures)}; ${gone}`
}

export function reject({ rollout, pool, now }: PoolState, message: string): Memory {
  const { memory, target } = rollout
  const stable = recallStable(pool, memory)
  const canGoBack = stable !== undefined && stable.fingerprint !== target.fingerprint && isProven(memory, stable)
  // Where people sent the pool, by a rollback or by a revert of what is stable, did not work out: what else to do is theirs to say.
  const goesBack = pool.policy.onFailure === 'Rollback' && canGoBack && memory.rollback === undefined
  return {
    ...memory,
    rejected: [refOf(target), ...memory.rejected].slice(0, REJECTED_KEPT),
    history: endRollout(memory.history, { result: goesBack ? 'RolledBack' : 'Halted', at: now, message }),
  }
}
