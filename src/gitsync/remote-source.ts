import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listServerRefs } from 'isomorphic-git'
import { corruptPack, explainFailure, refMissing } from './explain-failure.ts'
import type { GitCredentials } from './git-credentials.ts'
import { type ClientCertificate, createGitHttp } from './git-http.ts'
import { followedIn, type GitRef, prefixOf, tagName } from './git-ref.ts'
import { createGitSsh, SSH_URL } from './git-ssh.ts'
import { GitSyncError } from './git-sync-error.ts'
import type { GitTransport, TransportOptions } from './git-transport.ts'
import { keepCommits, keepFolder } from './kept-objects.ts'
import { MissingObject } from './needed-objects.ts'
import { PACK_LIMITS, type PackLimits } from './pack-limits.ts'
import { CAN_FILTER, CAN_FILTER_FILES } from './partial-fetch.ts'
import { createRemoteClone, type FetchedTip } from './remote-clone.ts'
import type { RepoSource } from './repo-source.ts'
import { parseSshAddress } from './ssh-address.ts'
import type { SshFiles } from './ssh-connection.ts'
import { systemTimers, type Timers } from './timers.ts'

export interface RemoteOptions extends Partial<RemoteLimits> {
  /** `https://`, `http://` or `ssh://`, or `git@host:path`; without credentials in it. */
  readonly url: string
  readonly ref: GitRef
  /** Path of the fleet's folder in the repository; the default is all of it. Nothing else is kept. */
  readonly folder?: string
  /** A folder of our own on disk, for the objects; what is in it is thrown away at start. */
  readonly directory: string
  readonly credentials?: GitCredentials
  /** For SSH. */
  readonly ssh?: SshFiles
  readonly caFile?: string
  readonly clientCertificate?: ClientCertificate
  /** Sends credentials over `http://` too, where everybody on the way can read them. */
  readonly insecureHttp?: boolean
  readonly timers?: Timers
}

/** What a repository, or whoever answers in its place, may cost. */
export interface RemoteLimits extends PackLimits {
  /** Milliseconds without a byte after which a request is given up. */
  readonly timeout: number
  /** Milliseconds after which a request is given up, whatever comes. */
  readonly deadline: number
  /** Bytes of the largest pack that is taken, as it is sent. */
  readonly maxBytes: number
}

export const REMOTE_LIMITS: RemoteLimits = { ...PACK_LIMITS, timeout: 30_000, deadline: 600_000, maxBytes: 32 * 1024 * 1024 }

/** Of what comes after the tip only commits matter. First a few, in the end all there are. */
const DEPTHS = [50, 1000, 2 ** 31 - 1]
/** Each fetch leaves a pack, and nothing joins them: reading slows down with their number. */
const MAX_PACKS = 100
/** Commits of refused packs that are kept: one for each head that was refused since the last one that was good. */
const MAX_REFUSED = 1000

/** A repository on a forge, over smart HTTP or SSH. Pushes to other branches cost nothing: only the one followed is asked for. */
export function createRemoteSource(options: RemoteOptions): RepoSource {
  const { ref, directory, timers = systemTimers } = options
  const limits: RemoteLimits = { ...REMOTE_LIMITS, ...options }
  const refused: Buffer[] = []
  const onRefused = (commits: readonly Buffer[]) => {
    refused.push(...commits)
    refused.splice(0, refused.length - MAX_REFUSED)
  }
  const { shown, url, http, needs } = reach(options, { ...limits, timers, pack: { limits, onRefused } })
  const shape = { url, http, limits }
  const keep = keepFolder(options.folder ?? '')
  const content = createRemoteClone({ ...shape, gitdir: join(directory, 'clone'), filter: 'blob:none', needs, keep })
  // Apart from the content: a server leaves out what it believes to be here already.
  const history = createRemoteClone({ ...shape, gitdir: join(directory, 'history'), filter: 'tree:0', keep: keepCommits })
  let cloned = false
  /** The name, or the id, of what is followed, as of the last look. */
  let followed: string | undefined
  let depths: readonly number[] = DEPTHS

  const cloneAgain = async (signal: AbortSignal): Promise<FetchedTip> => {
    cloned = false
    await content.clear()
    const asked = { ref: followed ?? (await look(signal)).name, depth: 1 }
    // The first try may show that the server sends no files that are asked for by their ids: the second one takes all.
    const tip = await content.fetch(asked, signal).catch((error) => {
      if (!(error instanceof MissingObject)) throw error
      return content.fetch(asked, signal).catch(orIncomplete)
    })
    cloned = true
    return tip
  }

  /** The server leaves out what an earlier commit had elsewhere in the repository, where it was not kept. */
  const fetchNext = async (signal: AbortSignal) =>
    content.fetch({ ref: followed ?? (await look(signal)).name, depth: 1 }, signal).catch((error) => {
      if (!(error instanceof MissingObject)) throw error
      return cloneAgain(signal)
    })

  const refsLike = (prefix: string, signal: AbortSignal) =>
    http(signal, (client) => listServerRefs({ http: client, url, prefix }))

  const look = async (signal: AbortSignal): Promise<{ readonly name: string; readonly oid: string }> => {
    if ('commit' in ref) return { name: ref.commit, oid: ref.commit }
    const refs = await refsLike(prefixOf(ref), signal)
    const name = followedIn(
      refs.map((found) => found.ref),
      ref,
    )
    const oid = refs.find((found) => found.ref === name)?.oid
    if (name !== undefined && oid !== undefined) return { name, oid }
    const others = await refsLike('branch' in ref ? 'refs/heads/' : 'refs/tags/', signal)
    throw refMissing(ref, { url: shown, names: others.map((other) => other.ref) })
  }

  const explained = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw signal.aborted ? error : explainFailure(error, shown)
    }
  }

  return {
    head: (signal) =>
      explained(signal, async () => {
        const { name, oid } = await look(signal)
        followed = name
        return oid
      }),
    fetch: (signal, options) =>
      explained(signal, async () => {
        depths = DEPTHS
        await history.clear()
        const tip = cloned && !options?.fromScratch ? await fetchNext(signal) : await cloneAgain(signal)
        // What a commit descends from may have been refused for what it held.
        for (const parent of refused) await content.add(parent)
        return { gitdir: content.gitdir, ...tip, tag: followed && tagName(followed) }
      }),
    deepen: (signal) =>
      explained(signal, async () => {
        const [depth, ...rest] = depths
        if (depth === undefined) return undefined
        depths = rest
        const isFetched = await history
          .fetch({ ref: followed ?? (await look(signal)).name, depth }, signal)
          .then(() => true, orTooLarge)
        return isFetched ? history.gitdir : undefined
      }),
    tidy: (signal) =>
      explained(signal, async () => {
        await history.clear()
        refused.length = 0
        if (!cloned) return
        const packs = (await readdir(join(content.gitdir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'))
        if (packs.length > MAX_PACKS) await cloneAgain(signal)
      }),
  }
}

function orIncomplete(error: unknown): never {
  throw error instanceof MissingObject ? corruptPack(error.message) : error
}

/** History that costs too much is history that cannot be read: people may say that it need not be. */
function orTooLarge(error: unknown): false {
  if (error instanceof GitSyncError && (error.reason === 'PackTooLarge' || error.reason === 'ResponseTooLarge')) return false
  throw error
}

interface Reached {
  /** The address for people. */
  readonly shown: string
  /** The address for isomorphic-git. */
  readonly url: string
  readonly http: GitTransport
  /** What a server has to be able to do before files are left out. */
  readonly needs: readonly string[]
}

function reach(options: RemoteOptions, transport: TransportOptions): Reached {
  const { url: shown, credentials, caFile, clientCertificate, ssh: files } = options
  const address = parseSshAddress(shown)
  if (address) {
    if (!files) throw new GitSyncError(`failed to read "${shown}": SSH needs a key and known hosts`, { reason: 'InvalidAddress' })
    return { shown, url: SSH_URL, http: createGitSsh({ ...transport, address, files }), needs: CAN_FILTER_FILES }
  }
  const url = checkedUrl(options)
  return {
    shown: url,
    url,
    http: createGitHttp(url, { ...transport, credentials, caFile, clientCertificate }),
    needs: CAN_FILTER,
  }
}

function checkedUrl({ url, credentials, insecureHttp = false }: RemoteOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new GitSyncError(
      `correct the repository's address: only https://, http:// and ssh:// without a password are supported`,
      {
        reason: 'InvalidAddress',
      },
    )
  if (parsed.username || parsed.password)
    throw new GitSyncError(`remove the credentials from the repository's address: pass them as files`, {
      reason: 'InvalidAddress',
    })
  if (credentials && parsed.protocol === 'http:' && !insecureHttp)
    throw new GitSyncError(
      `refuse to send credentials to "${url}": http:// does not protect them; use https://, or --insecure-http`,
      { reason: 'InsecureCredentials' },
    )
  return url.replace(/\/$/, '')
}
