import { foreignText } from '../protocol/foreign-text.ts'
import { MAX_FILE_BYTES, MAX_TREE_BYTES, type RepoFile } from '../protocol/repo-snapshot.ts'
import type { GitObject } from './git-object.ts'
import { BadTreeError } from './git-sync-error.ts'
import type { ObjectStore } from './object-store.ts'
import type { PackFolder } from './pack-folder.ts'
import { readObject } from './read-object.ts'
import { replaceCache, type SnapshotCache, snapshotCache } from './snapshot-cache.ts'
import { MAX_ENTRIES, parseTree, repeatedName, type TreeEntry, unsafeName } from './tree-object.ts'

/** Characters of a path. Folders are read one within the other, and there may be thousands. */
const MAX_PATH = 1024
/** Bytes of where a link leads, which is shown to people and never followed. */
const MAX_TARGET = 4096
const MAX_SHOWN = 100

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
  /** Files that are not kept: the same content can stand there thousands of times. */
  readonly #left = new Map<string, RepoFile>()
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
      if (oid === undefined && entries.length > MAX_ENTRIES) throw tooMany(`a folder on the way to "${folder}" has`)
    }
    return oid
  }

  async tree(oid: string, prefix: string): Promise<void> {
    const entries = this.#knownEntries(oid) ?? (await this.#entriesOf(oid))
    this.#entries += entries.length
    if (this.#entries > MAX_ENTRIES) throw tooMany('its folder has')
    for (const entry of entries) {
      const path = prefix + entry.name
      if (path.length > MAX_PATH) throw unsafePath(`longer than ${MAX_PATH} characters`, path)
      if (entry.kind === 'tree') await this.tree(entry.id, `${path}/`)
      // Thousands of them are known already, and to wait for each would cost more than all else.
      else this.files.set(path, this.#bounded(entry, this.#knownFile(entry) ?? (await readFile(this.#places, entry, path))))
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
    return this.#used.blobs.get(key) ?? this.#left.get(key) ?? this.#cache.blobs.get(key)
  }

  /** Files that do not fit any more are marked as if each were too large: so the loader names them. */
  #bounded(entry: TreeEntry, file: RepoFile): RepoFile {
    if (file.kind === 'file') this.#bytes += file.bytes.length
    const fits = this.#bytes <= MAX_TREE_BYTES
    const kept: RepoFile = file.kind === 'file' && !fits ? { kind: 'tooLarge', size: file.bytes.length } : file
    if (file.kind !== 'submodule') (fits ? this.#used.blobs : this.#left).set(keyOf(entry), kept)
    return kept
  }
}

function keyOf({ kind, id }: TreeEntry): string {
  return `${kind}:${id}`
}

async function readFile(places: Places, { kind, id }: TreeEntry, path: string): Promise<RepoFile> {
  const { type, content } = await objectOf(places, id)
  if (type !== 'blob') throw malformed(`"${path}" is a ${type}, not a file`)
  if (content.length > MAX_FILE_BYTES) return { kind: 'tooLarge', size: content.length }
  if (kind === 'symlink') return { kind, target: content.toString('utf8', 0, MAX_TARGET) }
  // A copy: the blob may be a view into a whole pack, which it would keep in memory.
  return { kind: 'file', bytes: Uint8Array.from(content), blobId: id }
}

async function entriesOf(places: Places, id: string): Promise<readonly TreeEntry[]> {
  const { type, content } = await objectOf(places, id)
  const entries = type === 'tree' ? parseTree(content) : undefined
  if (!entries) throw malformed(`folder "${id}" is no tree as Git writes it`)
  const unsafe = unsafeName(entries)
  if (unsafe !== undefined) throw unsafePath('that leads elsewhere', unsafe)
  const repeated = repeatedName(entries)
  if (repeated !== undefined) throw malformed(`a folder has "${foreignText(repeated, MAX_SHOWN)}" twice`)
  return entries
}

async function objectOf({ store, packs }: Places, id: string): Promise<GitObject> {
  return (await packs.read(id)) ?? readObject(store, id)
}

function tooMany(where: string): BadTreeError {
  return new BadTreeError(`${where} more than ${MAX_ENTRIES} entries`, { reason: 'TooManyFiles' })
}

function unsafePath(what: string, path: string): BadTreeError {
  return new BadTreeError(`it holds a path ${what}, "${foreignText(path, MAX_SHOWN)}"`, { reason: 'UnsafePath' })
}

function malformed(why: string): BadTreeError {
  return new BadTreeError(`${why}; run git fsck in the repository, and commit the files again`, { reason: 'MalformedTree' })
}
