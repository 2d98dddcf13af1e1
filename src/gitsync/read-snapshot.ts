import type { RepoFile, RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { readCommitObject } from './commit-object.ts'
import { BadTreeError } from './git-sync-error.ts'
import type { ObjectStore } from './object-store.ts'
import { PackFolder } from './pack-folder.ts'
import { type SnapshotCache, snapshotCache } from './snapshot-cache.ts'
import { TreeReading } from './tree-reading.ts'

export interface ReadOptions {
  /** Path of the fleet's folder in the repository; empty for all of it. */
  readonly folder: string
  /** Left holding exactly the blobs and trees of this commit. */
  readonly cache?: SnapshotCache
}

/** A commit as data. @throws {BadTreeError} */
export async function readSnapshot(store: ObjectStore, oid: string, options: ReadOptions): Promise<RepoSnapshot> {
  const { tree, ...about } = await readCommitObject(store, oid)
  return {
    commit: oid,
    ...about,
    files: await filesOf(store, tree, options).catch((error: unknown) => {
      if (!(error instanceof BadTreeError)) throw error
      throw new BadTreeError(`refuse commit "${oid}": ${error.message}`, error)
    }),
  }
}

async function filesOf(
  store: ObjectStore,
  root: string,
  { folder, cache = snapshotCache() }: ReadOptions,
): Promise<ReadonlyMap<string, RepoFile>> {
  await using packs = new PackFolder(store.gitdir)
  const reading = new TreeReading({ store, packs }, cache)
  const tree = await reading.folder(root, folder)
  if (tree) await reading.tree(tree, '')
  reading.keep()
  return reading.files
}
