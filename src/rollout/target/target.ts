import type { RevisionRef } from '../../protocol/node-pool.ts'
import type { Memory, PoolSnapshot, Revision } from '../model/snapshot.ts'

/**
 * What the pool's nodes are brought to: where a person rolled it back to; else the head, unless it failed here, or is withheld. One
 * that is withheld leaves the pool with what it has. After one that failed it is the last that completed, when the policy rolls back
 * and there is one; else what it was before, and the pool is halted if that is what failed.
 */
export function chooseTarget(pool: PoolSnapshot, { isBlocked }: { readonly isBlocked: boolean }): Revision {
  const { head, memory, policy } = pool
  const asked = recallRevision(pool, memory.rollback?.to)
  if (asked) return asked
  if (!isRejected(memory, head)) return (isBlocked ? recallRevision(pool, memory.target) : undefined) ?? head
  const stable =
    policy.onFailure === 'Rollback' && memory.stable && !isRejected(memory, memory.stable) ? memory.stable : undefined
  return recallRevision(pool, stable) ?? recallRevision(pool, memory.target) ?? head
}

/** A person rolled the pool back to what can be rendered no more: to go to anything else is not what was asked. */
export function isRollbackLost({ rollback }: Pick<Memory, 'rollback'>, { revision, fingerprint }: RevisionRef): boolean {
  return rollback !== undefined && rollback.to.revision !== revision && rollback.to.fingerprint !== fingerprint
}

/** By content: a commit that renders the same as one that failed would fail the same. */
export function isRejected({ rejected }: Pick<Memory, 'rejected'>, { fingerprint }: RevisionRef): boolean {
  return rejected.some((entry) => entry.fingerprint === fingerprint)
}

/** The pool has already run through this content. */
export function isProven({ stable, history }: Memory, { fingerprint }: RevisionRef): boolean {
  return (
    stable?.fingerprint === fingerprint ||
    history.some((entry) => entry.result === 'Completed' && entry.fingerprint === fingerprint)
  )
}

/** The rendered form of something remembered; undefined when it is known no more. */
export function recallRevision({ head, known }: PoolSnapshot, ref: RevisionRef | undefined): Revision | undefined {
  if (!ref) return undefined
  return head.fingerprint === ref.fingerprint ? head : known.get(ref.revision)
}

export function refOf({ revision, fingerprint, author, subject }: RevisionRef): RevisionRef {
  return { revision, fingerprint, ...(author !== undefined && { author }), ...(subject !== undefined && { subject }) }
}

/** A commit as people name it: in full, or by at least seven characters. */
export function denotes(text: string | undefined, { revision }: Pick<RevisionRef, 'revision'>): boolean {
  return text !== undefined && text.length >= Math.min(7, revision.length) && revision.startsWith(text)
}
