import type { RevisionRef } from '../../protocol/node-pool.ts'
import type { Memory, PoolSnapshot, Revision } from './snapshot.ts'

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

/** By content: a commit that renders the same as one that failed would fail the same. */
export function isRejected({ rejected }: Pick<Memory, 'rejected'>, { fingerprint }: Pick<RevisionRef, 'fingerprint'>): boolean {
  return rejected.some((entry) => entry.fingerprint === fingerprint)
}

/** The pool has already run through this content. */
export function isProven({ stable, history }: Memory, { fingerprint }: RevisionRef): boolean {
  return (
    stable?.fingerprint === fingerprint ||
    history.some((entry) => entry.result === 'Completed' && entry.fingerprint === fingerprint)
  )
}
