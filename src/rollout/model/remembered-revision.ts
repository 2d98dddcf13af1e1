import type { RevisionRef } from '../../protocol/node-pool.ts'
import { partsOf } from '../../protocol/revision-id.ts'
import type { Memory, PoolSnapshot, Revision } from './snapshot.ts'

/** The rendered form of something remembered; undefined when it is known no more. */
export function recallRevision({ head, known }: PoolSnapshot, ref: RevisionRef | undefined): Revision | undefined {
  if (!ref) return undefined
  return head.fingerprint === ref.fingerprint ? head : known.get(ref.revision)
}

/** What there is to go back to: nothing once that has failed, too. */
export function recallStable(pool: PoolSnapshot, memory: Pick<Memory, 'stable' | 'rejected'>): Revision | undefined {
  return memory.stable && !isRejected(memory, memory.stable) ? recallRevision(pool, memory.stable) : undefined
}

export function refOf({ revision, fingerprint, author, subject }: RevisionRef): RevisionRef {
  return { revision, fingerprint, ...(author !== undefined && { author }), ...(subject !== undefined && { subject }) }
}

/** The same commit, with the same text. */
export function isSameRef(ref: RevisionRef | undefined, { revision, fingerprint, author, subject }: RevisionRef): boolean {
  if (ref?.revision !== revision || ref.fingerprint !== fingerprint) return false
  return ref.author === author && ref.subject === subject
}

/** The status was lost, or has never been there: what the pool has run through is unknown. */
export function isForgetful({ target, history }: Pick<Memory, 'target' | 'history'>): boolean {
  return target === undefined && history.length === 0
}

/** A revision as people name it: its commit in full, or by at least seven characters; with the contents that it took, or whatever these are. */
export function denotes(text: string, { revision }: Pick<RevisionRef, 'revision'>): boolean {
  const [asked, named] = [partsOf(text), partsOf(revision)]
  if (asked.contents !== undefined && asked.contents !== named.contents) return false
  return asked.commit.length >= Math.min(7, named.commit.length) && named.commit.startsWith(asked.commit)
}

/** Of those that failed. */
export const REJECTED_KEPT = 10

/** By content: a commit that renders the same as one that failed would fail the same. */
export function isRejected({ rejected }: Pick<Memory, 'rejected'>, { fingerprint }: Pick<RevisionRef, 'fingerprint'>): boolean {
  return rejected.some((entry) => entry.fingerprint === fingerprint)
}

/** The pool has run through this content, and has not gone back from it since to older content: somebody may have fled from it. */
export function isProven(
  { stable, history }: Pick<Memory, 'stable' | 'history'>,
  ref: Pick<RevisionRef, 'fingerprint'>,
): boolean {
  const completed = completionOf(history, ref)
  return completed ? !completed.abandoned : stable?.fingerprint === ref.fingerprint
}

/** Where the content last completed; undefined: nowhere that is remembered. */
export function completionOf(
  history: Memory['history'],
  { fingerprint }: Pick<RevisionRef, 'fingerprint'>,
): { readonly index: number; readonly abandoned: boolean } | undefined {
  const index = history.findIndex((entry) => entry.result === 'Completed' && entry.fingerprint === fingerprint)
  return index < 0 ? undefined : { index, abandoned: history[index]?.abandoned === true }
}
