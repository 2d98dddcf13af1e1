import { isDescendant } from '../ancestry.ts'
import { type CommitsBetween, commitsBetween, MOST_COMMITS } from '../commits-between.ts'
import type { FetchedHistory } from '../fetched-history.ts'
import type { ObjectStore } from '../object-store.ts'
import { readContent } from '../read-object.ts'
import type { TrustedKeys } from './trusted-keys.ts'
import { verifyCommit, verifyTag } from './verify-object.ts'

/** `Head`: the commit that is to be used. `All`: every commit that comes with it, too. */
export const SIGNATURE_MODES = ['Head', 'All'] as const
export type SignatureMode = (typeof SIGNATURE_MODES)[number]

export interface SignaturePolicy {
  readonly mode: SignatureMode
  /** Read again for each poll. @throws {GitSyncError} `KeysUnreadable` */
  readonly keys: () => Promise<TrustedKeys>
  readonly now: () => number
}

/** The object of a tag, by which the head came. */
export interface HeadTag {
  readonly name: string
  readonly oid: string
  readonly store: ObjectStore
}

export interface HeadToVerify {
  readonly head: string
  /** Its signature stands for one of the head. */
  readonly tag?: HeadTag | undefined
  /** Accepted before; absent: nothing was, and only the head is looked at. */
  readonly from: string | undefined
  readonly mode: SignatureMode
  readonly keys: TrustedKeys
  readonly now: number
  readonly history: FetchedHistory
}

/** Why a head may not be used, as the end of a sentence about it, and what to do. */
export interface Unverified {
  readonly why: string
  readonly remedy: string
}

const SIGN = 'sign it (git commit -S) with a key that --commit-keys holds, or add the key there'
const ONLY_HEAD = 'start the controller once with --commit-signatures Head'

/** @returns undefined when it may be used */
export async function unverified(asked: HeadToVerify): Promise<Unverified | undefined> {
  const { head, from, mode, history } = asked
  if (head === from) return undefined
  if (mode === 'Head' || from === undefined) return problemIn([head], asked)
  const between = await history.ask<CommitsBetween>(
    (store) => commitsBetween(store, { head, from }),
    ({ kind }) => kind !== 'unknown',
  )
  // A head that `from` descends from brings no commit, and needs its signature nevertheless.
  if (between.kind === 'found') return problemIn([...new Set([head, ...between.commits])], asked)
  return between.kind === 'tooMany'
    ? { why: `more than ${MOST_COMMITS} commits come with it, and none was checked`, remedy: ONLY_HEAD }
    : {
        why: `the history between it and "${from}" cannot be read`,
        remedy: `fetch all of it (git fetch --unshallow), or ${ONLY_HEAD}`,
      }
}

async function problemIn(commits: readonly string[], asked: HeadToVerify): Promise<Unverified | undefined> {
  const { head, from, history, keys, now } = asked
  for (const commit of commits) {
    const verdict = await history.ask(
      async (store) => verifyCommit(await readContent(store, commit, 'commit'), { keys, now }),
      always,
    )
    if (verdict.kind === 'accepted') continue
    if (commit === head) {
      const why = await problemOfTag(asked)
      if (why === undefined) continue
      return { why: `${verdict.why}${why}`, remedy: SIGN }
    }
    // Dates that are wrong bring in commits that were there before.
    if (from !== undefined && (await descends(from, { from: commit, history }))) continue
    return { why: `it comes with commit "${commit}": ${verdict.why}`, remedy: signFrom(commit) }
  }
  return undefined
}

function signFrom(commit: string): string {
  return `sign it and those after it (git rebase --force-rebase -S ${commit.slice(0, 12)}^), add its key, or remove it from the branch`
}

/** @returns undefined when its signature stands for that of the head */
async function problemOfTag({ head, tag, keys, now }: HeadToVerify): Promise<string | undefined> {
  if (!tag) return ''
  const { name, oid, store } = tag
  const verdict = await verifyTag(await readContent(store, oid, 'tag'), { name, commit: head }, { keys, now })
  return verdict.kind === 'accepted' ? undefined : `, and of tag "${name}": ${verdict.why}`
}

async function descends(commit: string, { from, history }: { from: string; history: FetchedHistory }): Promise<boolean> {
  const answer = await history.ask(
    (store) => isDescendant(store, { commit, from }),
    (answer) => answer !== 'unknown',
  )
  return answer === 'yes'
}

function always(): boolean {
  return true
}
