import type { RevisionRef } from '../../protocol/node-pool.ts'
import { isProven, isRejected, recallRevision, recallStable } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot, Revision } from '../model/snapshot.ts'

/**
 * What the pool's nodes are brought to: where a person rolled it back to; else the head, unless it failed here, or is blocked. One
 * that is blocked leaves the pool with what it has. After one that failed it is the last that completed, when the policy rolls back
 * and there is one; else what it was before, and the pool is halted if that is what failed.
 */
export function chooseTarget(pool: PoolSnapshot, { isBlocked }: { readonly isBlocked: boolean }): Revision {
  const { head, memory, policy } = pool
  const asked = recallRevision(pool, memory.rollback?.to)
  if (asked) return asked
  if (!isRejected(memory, head)) return (isBlocked ? recallRevision(pool, memory.target) : undefined) ?? head
  // Where a person sent the pool away from it, and that failed, it is theirs to say what else to do.
  const goesBack = policy.onFailure === 'Rollback' && memory.stable && isProven(memory, memory.stable)
  return (goesBack ? recallStable(pool, memory) : undefined) ?? recallRevision(pool, memory.target) ?? head
}

/** A person rolled the pool back to what can be rendered no more: to go to anything else is not what was asked. */
export function isRollbackLost({ rollback }: Pick<Memory, 'rollback'>, { revision, fingerprint }: RevisionRef): boolean {
  return rollback !== undefined && rollback.to.revision !== revision && rollback.to.fingerprint !== fingerprint
}
