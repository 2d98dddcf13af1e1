import { rm } from 'node:fs/promises'
import { addRemote, fetch, type HttpClient, init, readObject, writeObject, writeRef } from 'isomorphic-git'
import { corruptPack } from './explain-failure.ts'
import type { GitTransport } from './git-transport.ts'
import type { Keep, Kept, OnDisk } from './kept-objects.ts'
import { MissingObject } from './needed-objects.ts'
import { objectStore } from './object-store.ts'
import type { PackLimits } from './pack-limits.ts'
import { type Filter, partialFetch } from './partial-fetch.ts'
import { peel } from './revision.ts'
import { siftPack } from './sift-pack.ts'
import { wantObjects } from './want-objects.ts'

export interface RemoteCloneOptions {
  readonly url: string
  readonly gitdir: string
  readonly http: GitTransport
  readonly limits: PackLimits
  /** What the server is asked to leave out, if it can. */
  readonly filter: Filter
  /** What it has to be able to do for that. */
  readonly needs?: readonly string[]
  /** What stays of the packs that come. */
  readonly keep: Keep
}

/** What one ref names, on this disk, with as much history as was asked for. */
export interface RemoteClone {
  readonly gitdir: string
  /** Takes what a ref names, and so many commits before it. @throws {MissingObject} when another try takes more */
  fetch(asked: AskedFetch, signal: AbortSignal): Promise<FetchedTip>
  /** Adds a commit that came another way. */
  add(commit: Buffer): Promise<void>
  /** Takes all of it off the disk. */
  clear(): Promise<void>
}

export interface AskedFetch {
  /** Its name in full, or the full id of a commit. */
  readonly ref: string
  readonly depth: number
}

export interface FetchedTip {
  /** A commit, or the object of a tag. */
  readonly named: string
  readonly commit: string
}

const REMOTE = 'origin'
/** By it the server learns what is here already. */
const FETCHED = 'refs/nodewave/fetched'

export function createRemoteClone({ url, gitdir, http, limits, filter, needs, keep }: RemoteCloneOptions): RemoteClone {
  const shape = { remote: REMOTE, ref: FETCHED, singleBranch: true, tags: false, url }
  const ids = new Set<string>()
  /** Not every server that filters also sends files by their ids. */
  let mayFilter = true

  const onDisk: OnDisk = {
    has: (id) => ids.has(id),
    async readTree(id) {
      if (!ids.has(id)) return undefined
      const { object } = await readObject({ ...objectStore(gitdir), oid: id, format: 'content' })
      return Buffer.from(object as Uint8Array)
    },
  }

  const sifted = async (keep: Keep, ask: (sink: Parameters<GitTransport>[2]) => Promise<unknown>): Promise<Kept> => {
    await using sift = await siftPack({ gitdir, limits, keep, onDisk })
    await ask(sift)
    const kept = sift.kept()
    for (const id of kept.ids) ids.add(id)
    return kept
  }

  const fetchMissing = async (missing: readonly string[], signal: AbortSignal): Promise<void> => {
    const { ids: found } = await sifted(
      async (objects) => ({ ids: missing.filter((id) => objects.has(id)), missing: [] }),
      (sink) => http(signal, (client) => wantObjects(client, url, missing), sink),
    )
    if (found.length === missing.length) return
    mayFilter = false
    throw new MissingObject(`${missing.length - found.length} files are not in it`)
  }

  return {
    gitdir,
    async fetch({ ref, depth }, signal) {
      let named: string | null = null
      const store = { ...objectStore(gitdir), dir: gitdir }
      // Both leave alone what is there.
      await init({ ...store, bare: true })
      await addRemote({ ...store, remote: REMOTE, url, force: true })
      const take = async (client: HttpClient) => {
        const http = mayFilter ? partialFetch(client, filter, needs) : client
        named = (await fetch({ ...store, ...shape, remoteRef: ref, depth, http })).fetchHead
      }
      const { missing } = await sifted(keep, (sink) => http(signal, take, sink))
      if (missing.length > 0) await fetchMissing(missing, signal)
      if (named === null) throw corruptPack('it is empty')
      const commit = await peel(objectStore(gitdir), named)
      await writeRef({ ...store, ref: FETCHED, value: commit, force: true })
      return { named, commit }
    },
    async add(commit) {
      await writeObject({ ...objectStore(gitdir), type: 'commit', object: commit, format: 'content' })
    },
    async clear() {
      ids.clear()
      await rm(gitdir, { recursive: true, force: true })
    },
  }
}
