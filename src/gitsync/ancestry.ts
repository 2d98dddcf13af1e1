import { Errors } from 'isomorphic-git'
import { readCommitObject } from './commit-object.ts'
import type { ObjectStore } from './object-store.ts'

/** Commits looked at; beyond, the question costs more than it is worth. */
const LIMIT = 200_000

/**
 * Whether a commit has another one among its ancestors (or is it). `unknown` when the history on this machine ends before
 * the question is answered. It goes by the commits that are there, not by the list of shallow ones: what a commit names as
 * its parent is its parent.
 */
export async function isDescendant(
  store: ObjectStore,
  { commit, from, limit = LIMIT }: { readonly commit: string; readonly from: string; readonly limit?: number },
): Promise<'yes' | 'no' | 'unknown'> {
  const seen = new Set([commit])
  let complete = true
  // A set is walked in the order of insertion, and what is added meanwhile is walked too: breadth first.
  for (const oid of seen) {
    if (oid === from) return 'yes'
    const parents = seen.size > limit ? undefined : await parentsOf(store, oid)
    if (!parents) complete = false
    for (const parent of parents ?? []) seen.add(parent)
  }
  return complete ? 'no' : 'unknown'
}

async function parentsOf(store: ObjectStore, oid: string): Promise<readonly string[] | undefined> {
  try {
    return (await readCommitObject(store, oid)).parents
  } catch (error) {
    if (error instanceof Errors.NotFoundError) return undefined
    throw error
  }
}
