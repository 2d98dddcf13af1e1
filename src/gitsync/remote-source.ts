import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { clone, fetch, listServerRefs, resolveRef } from 'isomorphic-git'
import { branchMissing, explainFailure } from './explain-failure.ts'
import type { GitCredentials } from './git-credentials.ts'
import { createGitHttp } from './git-http.ts'
import { GitSyncError } from './git-sync-error.ts'
import { objectStore } from './object-store.ts'
import type { RepoSource } from './repo-source.ts'
import { systemTimers, type Timers } from './timers.ts'

export interface RemoteOptions {
  /** `https://` or `http://`, without credentials in it. */
  readonly url: string
  readonly branch: string
  /** A folder of our own on disk, for the objects; what is in it is thrown away at start. */
  readonly directory: string
  readonly credentials?: GitCredentials
  readonly caFile?: string
  /** Milliseconds without a byte after which a request is given up; the default is 30,000. */
  readonly timeout?: number
  /** Bytes of the largest pack that is taken; the default is 256 MiB. */
  readonly maxBytes?: number
  readonly timers?: Timers
}

/**
 * Commits of history that a fetch brings along. With all of it, the first merge of a branch that forked before the clone
 * would bring the whole history; with one only, no descent could be told.
 */
const DEPTH = 50
/** Taken one after the other until the last accepted commit is found. */
const DEEPER = [500, 5000]
/** Each fetch leaves a pack, and nothing joins them: reading slows down with their number. */
const MAX_PACKS = 100

const HEADS = 'refs/heads/'

/** A repository on a forge, over smart HTTP. Another branch's pushes cost nothing: only this one is asked for. */
export function createRemoteSource(options: RemoteOptions): RepoSource {
  const {
    branch,
    directory,
    credentials,
    caFile,
    timeout = 30_000,
    maxBytes = 256 * 1024 * 1024,
    timers = systemTimers,
  } = options
  const url = checkedUrl(options.url)
  const remoteRef = `${HEADS}${branch}`
  const tracking = `refs/remotes/origin/${branch}`
  const gitdir = join(directory, 'clone')
  const http = createGitHttp(url, { credentials, caFile, timeout, maxBytes, timers })
  let cloned = false
  let depths = DEEPER

  const cloneAnew = async (signal: AbortSignal) => {
    cloned = false
    await rm(gitdir, { recursive: true, force: true })
    const shape = { noCheckout: true, singleBranch: true, noTags: true, depth: DEPTH, ref: branch }
    await http(signal, (client) => clone({ ...objectStore(gitdir), ...shape, dir: gitdir, url, http: client }))
    cloned = true
  }

  const fetchTo = (depth: number, signal: AbortSignal) => {
    // Named by its tracking branch, so that the server learns what we have; by its short name it would send all files again.
    const shape = { remote: 'origin', ref: tracking, remoteRef, singleBranch: true, tags: false, depth }
    return http(signal, (client) => fetch({ ...objectStore(gitdir), ...shape, url, http: client }))
  }

  const refsLike = (prefix: string, signal: AbortSignal) =>
    http(signal, (client) => listServerRefs({ http: client, url, prefix }))

  const explained = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw signal.aborted ? error : explainFailure(error, url)
    }
  }

  return {
    head: (signal) =>
      explained(signal, async () => {
        const [found] = (await refsLike(remoteRef, signal)).filter(({ ref }) => ref === remoteRef)
        if (found) return found.oid
        const others = await refsLike(HEADS, signal)
        throw branchMissing(branch, { url, branches: others.map(({ ref }) => ref.slice(HEADS.length)) })
      }),
    fetch: (signal, options) =>
      explained(signal, async () => {
        depths = DEEPER
        if (cloned && !options?.anew) await fetchTo(DEPTH, signal)
        else await cloneAnew(signal)
        return { gitdir, commit: await resolveRef({ ...objectStore(gitdir), ref: tracking }) }
      }),
    deepen: (signal) =>
      explained(signal, async () => {
        const [depth, ...rest] = depths
        if (depth === undefined) return false
        await fetchTo(depth, signal)
        depths = rest
        return true
      }),
    tidy: (signal) =>
      explained(signal, async () => {
        if (!cloned) return
        const packs = (await readdir(join(gitdir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'))
        if (packs.length > MAX_PACKS) await cloneAnew(signal)
      }),
  }
}

function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new GitSyncError(`correct the repository's address: only https:// and http:// are supported`, {
      reason: 'InvalidAddress',
    })
  if (parsed.username || parsed.password)
    throw new GitSyncError(`remove the credentials from the repository's address: they are given as files`, {
      reason: 'InvalidAddress',
    })
  return url.replace(/\/$/, '')
}
