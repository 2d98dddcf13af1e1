import type { RepoFile } from '../protocol/repo-snapshot.ts'
import type { TreeEntry } from './tree-object.ts'

/** What was read of the last commit: what the next one has in common with it is not read again. */
export interface SnapshotCache {
  /** By kind and id. */
  readonly blobs: Map<string, RepoFile>
  readonly trees: Map<string, readonly TreeEntry[]>
}

export function snapshotCache(): SnapshotCache {
  return { blobs: new Map(), trees: new Map() }
}

/** Leaves the cache holding exactly this. */
export function replaceCache(cache: SnapshotCache, { blobs, trees }: SnapshotCache): void {
  replace(cache.blobs, blobs)
  replace(cache.trees, trees)
}

function replace<T>(old: Map<string, T>, current: ReadonlyMap<string, T>): void {
  old.clear()
  for (const [key, value] of current) old.set(key, value)
}
