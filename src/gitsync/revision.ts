import { expandOid, expandRef, readObject, readTag, resolveRef } from 'isomorphic-git'
import { readCommitObject } from './commit-object.ts'
import { GitSyncError } from './git-sync-error.ts'
import type { ObjectStore } from './object-store.ts'

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
    return oid
  } catch (cause) {
    throw new GitSyncError(
      `failed to find revision "${revision}" in "${store.gitdir}"; name a branch, a tag or a commit that it has`,
      { reason: 'RevisionNotFound', cause },
    )
  }
}

/** As in Git, a name is looked for among the refs first. */
async function idOf(store: ObjectStore, name: string): Promise<string> {
  const ref = await expandRef({ ...store, ref: name }).catch(() => undefined)
  if (ref && !/^[0-9a-f]{40}$/.test(name)) return resolveRef({ ...store, ref })
  return expandOid({ ...store, oid: name })
}

/** From an annotated tag to what it is of. */
export async function peel(store: ObjectStore, oid: string): Promise<string> {
  // Not parsed: isomorphic-git refuses commits whose author line is not as Git writes it.
  const { type } = await readObject({ ...store, oid, format: 'content' })
  if (type !== 'tag') return oid
  return peel(store, (await readTag({ ...store, oid })).tag.object)
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
