import { expandOid, expandRef, resolveRef } from 'isomorphic-git'
import { readCommitObject } from './commit-object.ts'
import { GitSyncError } from './git-sync-error.ts'
import { damageOf, missingInClone } from './missing-in-clone.ts'
import type { ObjectStore } from './object-store.ts'
import { readObject } from './read-object.ts'

/** Tags of tags that are followed. */
export const MAX_TAGS = 50

/**
 * The commit that a revision names: a branch, a tag, a remote's branch, HEAD, a full or short id; with `~2`, `^` and `^2` after it.
 * @throws {GitSyncError} `RevisionNotFound`
 */
export async function resolveRevision(store: ObjectStore, revision: string): Promise<string> {
  const [, base = '', steps = ''] = /^(.*?)((?:[~^]\d*)*)$/s.exec(revision) ?? []
  try {
    let oid = await peel(store, await idOf(store, base))
    for (const [, sign, count] of steps.matchAll(/([~^])(\d*)/g))
      oid = await step(store, oid, { sign, count: count === '' ? 1 : Number(count) })
    // A shallow clone names commits that it does not have.
    return await peel(store, oid)
  } catch (cause) {
    const damage = damageOf(store.gitdir, cause)
    if (damage) throw damage
    const remedy = (await missingInClone(store.gitdir)) ?? 'name a branch, a tag or a commit that it has'
    throw new GitSyncError(`failed to find revision "${revision}" in "${store.gitdir}"; ${remedy}`, {
      reason: 'RevisionNotFound',
      cause,
    })
  }
}

/** As in Git, a name is looked for among the refs first. */
async function idOf(store: ObjectStore, name: string): Promise<string> {
  const ref = await expandRef({ ...store, ref: name }).catch(() => undefined)
  if (ref && !/^[0-9a-f]{40}$/.test(name)) return resolveRef({ ...store, ref })
  return expandOid({ ...store, oid: name })
}

/** From an annotated tag to the commit that it is of. @throws {Errors.NotFoundError} or {GitSyncError} */
export async function peel(store: ObjectStore, oid: string, left = MAX_TAGS): Promise<string> {
  const { type, content } = await readObject(store, oid)
  if (type === 'commit') return oid
  const of = type === 'tag' ? taggedBy(content) : undefined
  if (of !== undefined && left > 0) return peel(store, of, left - 1)
  const what = type === 'tag' ? 'a tag of no commit' : `a ${type}`
  throw new GitSyncError(`failed to find a commit: object "${oid}" is ${what}; name a branch, or a tag of a commit`, {
    reason: 'RevisionNotFound',
  })
}

/** The id that a tag names. */
export function taggedBy(tag: Buffer): string | undefined {
  return /^object ([0-9a-f]{40})\n/.exec(tag.toString('latin1', 0, 48))?.[1]
}

/** `~n`: n times the first parent. `^n`: the nth parent; `^0` is the commit itself. */
async function step(
  store: ObjectStore,
  oid: string,
  { sign, count }: { sign: string | undefined; count: number },
): Promise<string> {
  if (count === 0) return oid
  const { parents } = await readCommitObject(store, oid)
  const next = parents[sign === '^' ? count - 1 : 0]
  if (next === undefined) throw new Error(`commit "${oid}" has no parent ${sign === '^' ? count : 1}`)
  return sign === '^' ? next : step(store, next, { sign, count: count - 1 })
}
