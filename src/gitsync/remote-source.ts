import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listServerRefs } from 'isomorphic-git'
import { type FilterNeeds, OVER_HTTP, OVER_SSH } from './can-filter.ts'
import { corruptPack, explainFailure, refMissing } from './explain-failure.ts'
import type { GitCredentials } from './git-credentials.ts'
import { type ClientCertificate, createGitHttp } from './git-http.ts'
import { followedIn, type GitRef, prefixOf, tagName } from './git-ref.ts'
import { createGitSsh, SSH_URL } from './git-ssh.ts'
import { GitSyncError } from './git-sync-error.ts'
import type { GitTransport, TransportOptions } from './git-transport.ts'
import { keepCommits, keepFolder } from './kept-objects.ts'
import { MissingObject } from './needed-objects.ts'
import { checkedId } from './object-id.ts'
import { PACK_LIMITS, type PackLimits } from './pack-limits.ts'
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
  /** Large fetches leave packs, and nothing joins them: reading slows down with their number. Beyond it, all is fetched again. */
  readonly maxPacks: number
  /** Small ones leave a few files each, which only take place. Beyond it, all is fetched again. */
  readonly maxFetches: number
}

export const REMOTE_LIMITS: RemoteLimits = {
  ...PACK_LIMITS,
  timeout: 30_000,
  deadline: 600_000,
  maxBytes: 32 * 1024 * 1024,
  maxPacks: 100,
  maxFetches: 1000,
}

/** Of what comes after the tip only commits matter. First a few, in the end all there are. */
const DEPTHS = [50, 1000, 2 ** 31 - 1]
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
  const shape = { url, http, limits, needs }
  const folder = options.folder ?? ''
  const content = createRemoteClone({ ...shape, gitdir: join(directory, 'clone'), filter: 'blob:none', keep: keepFolder(folder) })
  // Apart from the content: a server leaves out what it believes to be here already.
  const history = createRemoteClone({ ...shape, gitdir: join(directory, 'history'), filter: 'tree:0', keep: keepCommits })
  let cloned = false
  /** What the last look found, until it is fetched. */
  let found: Found | undefined
  /** What was fetched last. */
  let fetched: Found | undefined
  let depths: readonly number[] = DEPTHS

  const cloneAgain = async (id: string, signal: AbortSignal): Promise<FetchedTip> => {
    cloned = false
    await content.clear()
    const asked = { id, depth: 1 }
    // The first try may show that the server sends no files that are asked for by their ids: the second one takes all.
    const tip = await content.fetch(asked, signal).catch((error) => {
      if (!(error instanceof MissingObject)) throw error
      return content.fetch(asked, signal).catch(orIncomplete)
    })
    cloned = true
    return tip
  }

  /** The server leaves out what an earlier commit had elsewhere in the repository, where it was not kept. */
  const fetchNext = async (id: string, signal: AbortSignal) =>
    content.fetch({ id, depth: 1 }, signal).catch((error) => {
      if (!(error instanceof MissingObject)) throw error
      return cloneAgain(id, signal)
    })

  const refsLike = (prefix: string, signal: AbortSignal) =>
    http(signal, (client) => listServerRefs({ http: client, url, prefix }))

  const look = async (signal: AbortSignal): Promise<Found> => {
    if ('commit' in ref) return { name: ref.commit, id: checkedId(ref.commit) }
    const found = foundIn(await refsLike(prefixOf(ref), signal), ref)
    if (found) return found
    const others = await refsLike('branch' in ref ? 'refs/heads/' : 'refs/tags/', signal)
    const since = foundIn(others, ref)
    if (since) return since
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
        found = await look(signal)
        return found.id
      }),
    fetch: (signal, options) =>
      explained(signal, async () => {
        depths = DEPTHS
        await history.clear()
        const { name, id } = found ?? (await look(signal))
        found = undefined
        const tip = cloned && !options?.fromScratch ? await fetchNext(id, signal) : await cloneAgain(id, signal)
        fetched = { name, id }
        // What a commit descends from may have been refused for what it held.
        for (const parent of refused) await content.add(parent)
        return { gitdir: content.gitdir, ...tip, tag: tagName(name) }
      }),
    deepen: (signal) =>
      explained(signal, async () => {
        const [depth, ...rest] = depths
        if (depth === undefined || fetched === undefined) return undefined
        depths = rest
        const isFetched = await history.fetch({ id: fetched.id, depth }, signal).then(() => true, orTooLarge)
        return isFetched ? history.gitdir : undefined
      }),
    tidy: (signal) =>
      explained(signal, async () => {
        await history.clear()
        refused.length = 0
        if (!cloned || fetched === undefined) return
        const isFull = content.fetches > limits.maxFetches || (await packsIn(content.gitdir)) > limits.maxPacks
        if (isFull) await cloneAgain(fetched.id, signal)
      }),
  }
}

/** What cannot be read is fetched again, as what is too much. */
async function packsIn(gitdir: string): Promise<number> {
  const names = await readdir(join(gitdir, 'objects', 'pack')).catch(() => undefined)
  return names?.filter((name) => name.endsWith('.pack')).length ?? Number.POSITIVE_INFINITY
}

/** What a server names, and by which name. */
interface Found {
  /** In full; or the id, where that was asked for. */
  readonly name: string
  readonly id: string
}

function foundIn(
  refs: readonly { readonly ref: string; readonly oid: string }[],
  ref: Parameters<typeof followedIn>[1],
): Found | undefined {
  const name = followedIn(
    refs.map((each) => each.ref),
    ref,
  )
  const id = refs.find((each) => each.ref === name)?.oid
  return name === undefined || id === undefined ? undefined : { name, id: checkedId(id) }
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
  readonly needs: FilterNeeds
}

function reach(options: RemoteOptions, transport: TransportOptions): Reached {
  const { url: shown, credentials, caFile, clientCertificate, ssh: files } = options
  const address = parseSshAddress(shown)
  if (address) {
    if (!files) throw new GitSyncError(`failed to read "${shown}": SSH needs a key and known hosts`, { reason: 'InvalidAddress' })
    return { shown, url: SSH_URL, http: createGitSsh({ ...transport, address, files }), needs: OVER_SSH }
  }
  const url = checkedUrl(options)
  return {
    shown: url,
    url,
    http: createGitHttp(url, { ...transport, credentials, caFile, clientCertificate }),
    needs: OVER_HTTP,
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
