import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Errors } from 'isomorphic-git'
import { canFilter, type FilterNeeds } from './can-filter.ts'
import { corruptPack } from './explain-failure.ts'
import { type AskedPack, type Filter, fetchPack, type SentHistory } from './fetch-pack.ts'
import { type GitObject, idOf } from './git-object.ts'
import { GitSyncError } from './git-sync-error.ts'
import type { GitTransport } from './git-transport.ts'
import type { Keep, KeepOf, Kept, OnDisk } from './kept-objects.ts'
import { MissingObject } from './needed-objects.ts'
import { objectStore } from './object-store.ts'
import type { PackLimits } from './pack-limits.ts'
import { readObject } from './read-object.ts'
import { peel } from './revision.ts'
import { siftPack } from './sift-pack.ts'
import { parseTree } from './tree-object.ts'
import { writeLoose } from './write-loose.ts'

export interface RemoteCloneOptions {
  readonly url: string
  readonly gitdir: string
  readonly http: GitTransport
  readonly limits: PackLimits
  /** What the server is asked to leave out, if it can; absent: nothing. */
  readonly filter?: Filter | undefined
  readonly needs: FilterNeeds
  /** What stays of the packs that come. */
  readonly keep: KeepOf
}

/** What one ref names, on this disk, with as much history as was asked for. */
export interface RemoteClone {
  readonly gitdir: string
  /** How often something was fetched since it was cleared. */
  readonly fetches: number
  /** Takes what an id names, and so many commits before it. @throws {MissingObject} when another try takes more */
  fetch(asked: AskedFetch, signal: AbortSignal): Promise<FetchedTip>
  /** Adds a commit that came another way. */
  add(commit: Buffer): Promise<void>
  /** Takes all of it off the disk. */
  clear(): Promise<void>
}

export interface AskedFetch {
  /** Of a commit, or of the object of a tag. */
  readonly id: string
  readonly depth: number
}

export interface FetchedTip {
  /** A commit, or the object of a tag. */
  readonly named: string
  readonly commit: string
}

export function createRemoteClone({ url, gitdir, http, limits, filter, needs, keep }: RemoteCloneOptions): RemoteClone {
  const ids = new Set<string>()
  /** Of the commit that was fetched last: the next one has most of them, too. */
  let trees: Kept['trees'] = new Map()
  /** What the server learns of what is here. */
  let fetched: string | undefined
  const shallow = new Set<string>()
  let fetches = 0
  /** Not every server that filters also sends files by their ids. Undefined: nobody asked. */
  let mayFilter: boolean | undefined

  const onDisk: OnDisk = {
    has: (id) => ids.has(id),
    async entriesOf(id) {
      const known = trees.get(id)
      if (known || !ids.has(id)) return known
      const { type, content } = await readObject(objectStore(gitdir), id)
      return (type === 'tree' && parseTree(content)) || []
    },
  }

  const ask = async (asked: AskedPack, keep: Keep, signal: AbortSignal): Promise<Kept & SentHistory> => {
    await using sift = await siftPack({ gitdir, limits, keep, onDisk })
    const sent = await http(
      signal,
      async (client) => {
        if (asked.filter) mayFilter ??= await canFilter(client, url, needs)
        return fetchPack(client, url, { ...asked, filter: mayFilter ? asked.filter : undefined })
      },
      sift,
    )
    const kept = sift.kept()
    for (const id of kept.ids) ids.add(id)
    return { ...kept, ...sent }
  }

  const askMissing = async (missing: readonly string[], signal: AbortSignal): Promise<void> => {
    const keep: Keep = async (objects) => ({ ids: missing.filter((id) => objects.has(id)), missing: [], trees })
    const { ids: found } = await ask({ wants: missing }, keep, signal).catch((error) => {
      if (error instanceof GitSyncError && error.reason === 'RefusedByServer') return { ids: [] }
      throw error
    })
    if (found.length === missing.length) return
    mayFilter = false
    throw new MissingObject(`${missing.length - found.length} files are not in it`)
  }

  return {
    gitdir,
    get fetches() {
      return fetches
    },
    async fetch({ id, depth }, signal) {
      fetches += 1
      const sent = await ask({ wants: [id], have: fetched, shallow: [...shallow], depth, filter }, keep(id), signal)
      if (sent.missing.length > 0) await askMissing(sent.missing, signal)
      if (sent.trees.size > 0) trees = sent.trees
      const commit = await peel(objectStore(gitdir), id).catch((error) => {
        throw error instanceof Errors.NotFoundError ? corruptPack(`object "${id}" is not in it`) : error
      })
      // Of all that was fetched so, the server hears of the last one alone.
      if (depth === 1) shallow.clear()
      for (const each of depth === 1 ? [commit] : sent.shallow) shallow.add(each)
      for (const each of sent.deepened) shallow.delete(each)
      fetched = commit
      await describe(gitdir, commit, shallow)
      return { named: id, commit }
    },
    async add(commit) {
      const object: GitObject = { type: 'commit', content: commit }
      await writeLoose(gitdir, [idOf(object)], async () => object)
    },
    async clear() {
      ids.clear()
      shallow.clear()
      trees = new Map()
      fetched = undefined
      mayFilter = undefined
      fetches = 0
      await rm(gitdir, { recursive: true, force: true })
    },
  }
}

/** Makes of the objects a repository that Git can look into. */
async function describe(gitdir: string, commit: string, shallow: ReadonlySet<string>): Promise<void> {
  await mkdir(join(gitdir, 'refs'), { recursive: true })
  await writeFile(join(gitdir, 'HEAD'), `${commit}\n`)
  await writeFile(join(gitdir, 'shallow'), [...shallow].map((each) => `${each}\n`).join(''))
}
