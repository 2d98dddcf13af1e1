import { rm } from 'node:fs/promises'
import { addRemote, fetch, type HttpClient, init, resolveRef, writeObject } from 'isomorphic-git'
import type { GitHttp } from './git-http.ts'
import { objectStore } from './object-store.ts'

export interface RemoteCloneOptions {
  readonly url: string
  readonly branch: string
  readonly gitdir: string
  readonly http: GitHttp
  /** Put around the client of each fetch. */
  readonly wrap?: (client: HttpClient) => HttpClient
}

/** The tip of one branch on this disk, with as much history as was asked for. */
export interface RemoteClone {
  readonly gitdir: string
  /** Takes the tip, and so many commits before it. @returns its commit */
  fetch(depth: number, signal: AbortSignal): Promise<string>
  /** Adds a commit that came another way. */
  add(commit: Buffer): Promise<void>
  /** Takes all of it off the disk. */
  clear(): Promise<void>
}

const REMOTE = 'origin'

export function createRemoteClone({ url, branch, gitdir, http, wrap = (client) => client }: RemoteCloneOptions): RemoteClone {
  // In full: a tag may have the same name. By its tracking branch the server learns what is here already.
  const remoteRef = `refs/heads/${branch}`
  const ref = `refs/remotes/${REMOTE}/${branch}`
  const shape = { remote: REMOTE, ref, remoteRef, singleBranch: true, tags: false, url }
  return {
    gitdir,
    async fetch(depth, signal) {
      const store = { ...objectStore(gitdir), dir: gitdir }
      // Both leave alone what is there.
      await init({ ...store, bare: true })
      await addRemote({ ...store, remote: REMOTE, url, force: true })
      await http(signal, (client) => fetch({ ...store, ...shape, depth, http: wrap(client) }))
      return resolveRef({ ...store, ref })
    },
    async add(commit) {
      await writeObject({ ...objectStore(gitdir), type: 'commit', object: commit, format: 'content' })
    },
    clear: () => rm(gitdir, { recursive: true, force: true }),
  }
}
