import { Errors, readBlob, readTree, type TreeEntry } from 'isomorphic-git'
import { MAX_FILE_BYTES, MAX_TREE_BYTES, type RepoFile, type RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { readCommitObject } from './commit-object.ts'
import { BadTreeError } from './git-sync-error.ts'
import type { ObjectStore } from './object-store.ts'

/** Files and folders of a fleet; a tree that repeats itself can name billions. */
export const MAX_ENTRIES = 20_000

/** Blobs already read, by kind and id: what the last commit had in common is not read again. */
export type BlobCache = Map<string, RepoFile>

export interface ReadOptions {
  /** Path of the fleet's folder in the repository; empty for all of it. */
  readonly folder: string
  /** Left holding exactly the blobs of this commit. */
  readonly blobs?: BlobCache
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
  { folder, blobs = new Map() }: ReadOptions,
): Promise<ReadonlyMap<string, RepoFile>> {
  const reading = new Reading(store, blobs)
  const tree = await folderOf(store, root, folder)
  if (tree) await reading.tree(tree, '')
  reading.keep()
  return reading.files
}

/** @returns undefined when the commit has no such folder */
async function folderOf(store: ObjectStore, root: string, folder: string): Promise<string | undefined> {
  let oid: string | undefined = root
  for (const name of folder.split('/').filter(Boolean)) {
    if (!oid) return undefined
    const entries: readonly TreeEntry[] = await entriesOf(store, oid)
    oid = entries.find((entry) => entry.path === name && entry.type === 'tree')?.oid
  }
  return oid
}

async function entriesOf(store: ObjectStore, oid: string): Promise<readonly TreeEntry[]> {
  try {
    return (await readTree({ ...store, oid })).tree
  } catch (error) {
    if (!(error instanceof Errors.UnsafeFilepathError)) throw error
    throw new BadTreeError(`it holds a path that leads elsewhere, "${error.data.filepath}"`, {
      reason: 'UnsafePath',
    })
  }
}

class Reading {
  readonly files = new Map<string, RepoFile>()
  readonly #store: ObjectStore
  readonly #blobs: BlobCache
  readonly #used: BlobCache = new Map()
  readonly #trees = new Map<string, readonly TreeEntry[]>()
  #entries = 0
  #bytes = 0

  constructor(store: ObjectStore, blobs: BlobCache) {
    this.#store = store
    this.#blobs = blobs
  }

  async tree(oid: string, prefix: string): Promise<void> {
    for (const entry of await this.#entriesOf(oid)) {
      const path = prefix + entry.path
      if (++this.#entries > MAX_ENTRIES)
        throw new BadTreeError(`its folder has more than ${MAX_ENTRIES} entries`, { reason: 'TooManyFiles' })
      if (entry.type === 'tree') await this.tree(entry.oid, `${path}/`)
      else this.files.set(path, this.#bounded(await this.#file(entry)))
    }
  }

  keep(): void {
    this.#blobs.clear()
    for (const [key, file] of this.#used) this.#blobs.set(key, file)
  }

  async #entriesOf(oid: string): Promise<readonly TreeEntry[]> {
    const entries = this.#trees.get(oid) ?? (await entriesOf(this.#store, oid))
    this.#trees.set(oid, entries)
    return entries
  }

  async #file(entry: TreeEntry): Promise<RepoFile> {
    if (entry.type === 'commit') return { kind: 'submodule' }
    const key = `${entry.mode}:${entry.oid}`
    const file = this.#used.get(key) ?? this.#blobs.get(key) ?? (await readFile(this.#store, entry))
    this.#used.set(key, file)
    return file
  }

  /** Files that do not fit any more are marked as if each were too large: so the loader names them. */
  #bounded(file: RepoFile): RepoFile {
    if (file.kind !== 'file') return file
    this.#bytes += file.bytes.length
    return this.#bytes > MAX_TREE_BYTES ? { kind: 'tooLarge', size: file.bytes.length } : file
  }
}

async function readFile(store: ObjectStore, { oid, mode }: TreeEntry): Promise<RepoFile> {
  const { blob } = await readBlob({ ...store, oid })
  if (blob.length > MAX_FILE_BYTES) return { kind: 'tooLarge', size: blob.length }
  if (mode === '120000') return { kind: 'symlink', target: Buffer.from(blob).toString('utf8') }
  // A copy: the blob may be a view into a whole pack, which it would keep in memory.
  return { kind: 'file', bytes: Uint8Array.from(blob), blobId: oid }
}
