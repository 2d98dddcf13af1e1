import { MAX_FILE_BYTES, MAX_TREE_BYTES, type RepoFile } from '../protocol/repo-snapshot.ts'
import type { GitObject } from './git-object.ts'
import { BadTreeError } from './git-sync-error.ts'
import type { ObjectStore } from './object-store.ts'
import type { PackFolder } from './pack-folder.ts'
import { readObject } from './read-object.ts'
import { replaceCache, type SnapshotCache, snapshotCache } from './snapshot-cache.ts'
import { parseTree, repeatedName, type TreeEntry, unsafeName } from './tree-object.ts'

/** Files and folders of a fleet; a tree that repeats itself can name billions. */
export const MAX_ENTRIES = 20_000

/** Where objects are: in packs, or where isomorphic-git finds them. */
interface Places {
  readonly store: ObjectStore
  readonly packs: PackFolder
}

/** Reads the files below a tree, and of what the cache holds nothing. */
export class TreeReading {
  readonly files = new Map<string, RepoFile>()
  readonly #places: Places
  readonly #cache: SnapshotCache
  readonly #used = snapshotCache()
  #entries = 0
  #bytes = 0

  constructor(places: Places, cache: SnapshotCache) {
    this.#places = places
    this.#cache = cache
  }

  /** @returns undefined when the commit has no such folder */
  async folder(root: string, folder: string): Promise<string | undefined> {
    let oid: string | undefined = root
    for (const name of folder.split('/').filter(Boolean)) {
      if (!oid) return undefined
      const entries: readonly TreeEntry[] = await this.#entriesOf(oid)
      oid = entries.find((entry) => entry.name === name && entry.kind === 'tree')?.id
    }
    return oid
  }

  async tree(oid: string, prefix: string): Promise<void> {
    for (const entry of this.#knownEntries(oid) ?? (await this.#entriesOf(oid))) {
      const path = prefix + entry.name
      if (++this.#entries > MAX_ENTRIES)
        throw new BadTreeError(`its folder has more than ${MAX_ENTRIES} entries`, { reason: 'TooManyFiles' })
      if (entry.kind === 'tree') await this.tree(entry.id, `${path}/`)
      // Thousands of them are known already, and to wait for each would cost more than all else.
      else this.files.set(path, this.#bounded(this.#knownFile(entry) ?? (await this.#file(entry, path))))
    }
  }

  keep(): void {
    replaceCache(this.#cache, this.#used)
  }

  #knownEntries(oid: string): readonly TreeEntry[] | undefined {
    const entries = this.#used.trees.get(oid) ?? this.#cache.trees.get(oid)
    if (entries) this.#used.trees.set(oid, entries)
    return entries
  }

  async #entriesOf(oid: string): Promise<readonly TreeEntry[]> {
    const entries = this.#knownEntries(oid) ?? (await entriesOf(this.#places, oid))
    this.#used.trees.set(oid, entries)
    return entries
  }

  #knownFile(entry: TreeEntry): RepoFile | undefined {
    if (entry.kind === 'submodule') return { kind: 'submodule' }
    const key = keyOf(entry)
    const file = this.#used.blobs.get(key) ?? this.#cache.blobs.get(key)
    if (file) this.#used.blobs.set(key, file)
    return file
  }

  async #file(entry: TreeEntry, path: string): Promise<RepoFile> {
    const file = await readFile(this.#places, entry, path)
    this.#used.blobs.set(keyOf(entry), file)
    return file
  }

  /** Files that do not fit any more are marked as if each were too large: so the loader names them. */
  #bounded(file: RepoFile): RepoFile {
    if (file.kind !== 'file') return file
    this.#bytes += file.bytes.length
    return this.#bytes > MAX_TREE_BYTES ? { kind: 'tooLarge', size: file.bytes.length } : file
  }
}

function keyOf({ kind, id }: TreeEntry): string {
  return `${kind}:${id}`
}

async function readFile(places: Places, { kind, id }: TreeEntry, path: string): Promise<RepoFile> {
  const { type, content } = await objectOf(places, id)
  if (type !== 'blob') throw malformed(`"${path}" is a ${type}, not a file`)
  if (content.length > MAX_FILE_BYTES) return { kind: 'tooLarge', size: content.length }
  if (kind === 'symlink') return { kind, target: content.toString('utf8') }
  // A copy: the blob may be a view into a whole pack, which it would keep in memory.
  return { kind: 'file', bytes: Uint8Array.from(content), blobId: id }
}

async function entriesOf(places: Places, id: string): Promise<readonly TreeEntry[]> {
  const { type, content } = await objectOf(places, id)
  const entries = type === 'tree' ? parseTree(content) : undefined
  if (!entries) throw malformed(`folder "${id}" is no tree as Git writes it`)
  const unsafe = unsafeName(entries)
  if (unsafe !== undefined) throw new BadTreeError(`it holds a path that leads elsewhere, "${unsafe}"`, { reason: 'UnsafePath' })
  const repeated = repeatedName(entries)
  if (repeated !== undefined) throw malformed(`a folder has "${repeated}" twice`)
  return entries
}

async function objectOf({ store, packs }: Places, id: string): Promise<GitObject> {
  return (await packs.read(id)) ?? readObject(store, id)
}

function malformed(why: string): BadTreeError {
  return new BadTreeError(`${why}; run git fsck in the repository, and commit the files again`, { reason: 'MalformedTree' })
}
