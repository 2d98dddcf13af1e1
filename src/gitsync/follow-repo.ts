import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { isDescendant } from './ancestry.ts'
import { FetchedHistory } from './fetched-history.ts'
import { BadTreeError, GitSyncError } from './git-sync-error.ts'
import { objectStore } from './object-store.ts'
import { readSnapshot } from './read-snapshot.ts'
import { ancestryUnknown, type Refusal, rewritten, untrusted } from './refusal.ts'
import type { RepoEvent } from './repo-event.ts'
import type { FetchedHead, RepoSource } from './repo-source.ts'
import type { TrustedKeys } from './signatures/trusted-keys.ts'
import { type HeadTag, type SignaturePolicy, unverified } from './signatures/verify-head.ts'
import { snapshotCache } from './snapshot-cache.ts'
import { systemTimers, type Timers } from './timers.ts'
import { createWakeSignal, type WakeSignal } from './wake-signal.ts'

export interface FollowRepoOptions {
  /** Path of the fleet's folder in the repository; the default is all of it. */
  readonly folder?: string
  /** The commit that was accepted last, perhaps by another process: a head must descend from it. */
  readonly lastAccepted?: string | undefined
  /** The same at any time; the default is the last snapshot that was yielded, as if each were accepted. */
  readonly acceptedNow?: (() => string | undefined) | undefined
  /** Asked at each poll for a head that does not descend; the default is never. */
  readonly mayRewrite?: (head: string) => boolean
  /** Whose signature a head needs; the default is nobody's. */
  readonly signatures?: SignaturePolicy | undefined
  /** Milliseconds; the default is 60,000. A source that is watched, and `pollNow`, are faster. */
  readonly pollEvery?: number
  readonly signal: AbortSignal
  readonly timers?: Timers
  /** From 0 to below 1: spreads polls and retries. */
  readonly random?: () => number
}

export interface RepoFollower {
  readonly events: AsyncIterable<RepoEvent>
  /** Looks at once, as when a webhook says that there is something new. */
  pollNow(): void
}

/** Follows one ref until the signal is aborted; no failure ends it. */
export function followRepo(source: RepoSource, options: FollowRepoOptions): RepoFollower {
  const wake = createWakeSignal(options.timers ?? systemTimers)
  return { events: follow(source, wake, options), pollNow: wake.ring }
}

const POLL_EVERY = 60_000
const FIRST_RETRY = 1000
const LONGEST_RETRY = 60_000
/** Milliseconds after which signatures are checked again: some are good from a time on, and clocks are corrected. */
const TRUST_EVERY = 600_000

async function* follow(source: RepoSource, wake: WakeSignal, options: FollowRepoOptions): AsyncGenerator<RepoEvent> {
  const { signal, pollEvery = POLL_EVERY, random = Math.random } = options
  const judge = new Judge(source, options)
  let unwatch: (() => Promise<void>) | undefined
  let failures = 0
  try {
    while (!signal.aborted) {
      let wait = pollEvery * (0.9 + 0.2 * random())
      try {
        unwatch ??= await source.watch?.(wake.ring)
        const event = await judge.look()
        if (failures > 0) yield { type: 'recovered' }
        failures = 0
        if (event) yield event
        await judge.tidy()
      } catch (thrown) {
        if (signal.aborted) return
        const error = thrown instanceof Error ? thrown : new Error(String(thrown))
        const backoff = Math.round(Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** failures++) * (0.5 + random()))
        wait = Math.max(backoff, (error instanceof GitSyncError && error.retryAfter) || 0)
        yield { type: 'trouble', error, failures, retryAfter: wait }
      }
      await wake.wait(wait, signal)
    }
  } finally {
    await unwatch?.()
  }
}

/** Looks at the head and says what it means; remembers what it has said. */
class Judge {
  readonly #source: RepoSource
  readonly #options: FollowRepoOptions
  readonly #cache = snapshotCache()
  #accepted: string | undefined
  #refused: (Refusal & { readonly named: string }) | undefined
  #told: string | undefined
  /** Set while a head is looked into: left so, what was fetched could not be used. */
  #unsettled = false
  #untidy = false

  constructor(source: RepoSource, options: FollowRepoOptions) {
    this.#source = source
    this.#options = options
    this.#accepted = options.lastAccepted
  }

  /** @returns undefined when there is nothing new */
  async look(): Promise<RepoEvent | undefined> {
    const head = await this.#source.head(this.#options.signal)
    // Also where there is nothing new: keys that cannot be read are to be known before the next commit needs them.
    const keys = await this.#options.signatures?.keys()
    if (head === this.#told) return undefined
    if (head === this.#refused?.named && this.#refused.isLasting(keys)) return undefined
    const fetched = await this.#fetch()
    const event = await this.#judge(fetched, keys)
    this.#unsettled = false
    this.#untidy = true
    return event
  }

  async #fetch(): Promise<FetchedHead> {
    const fromScratch = this.#unsettled
    this.#unsettled = true
    return this.#source.fetch(this.#options.signal, { fromScratch })
  }

  async #judge(fetched: FetchedHead, keys: TrustedKeys | undefined): Promise<RepoEvent | undefined> {
    const { named, commit, gitdir } = fetched
    const history = new FetchedHistory(this.#source, { gitdir, signal: this.#options.signal })
    const refusal = (await this.#rewriteIn(commit, history)) ?? (await this.#unverified(fetched, { history, keys }))
    if (refusal) {
      const isNew = this.#refused?.named !== named || this.#refused.message !== refusal.message
      this.#told = undefined
      this.#refused = { named, ...refusal }
      return isNew ? { type: 'refused', commit, reason: refusal.reason, message: refusal.message } : undefined
    }
    this.#told = named
    this.#refused = undefined
    try {
      return this.#accept(await this.#read(commit, gitdir))
    } catch (error) {
      if (!(error instanceof BadTreeError)) {
        this.#told = undefined
        throw error
      }
      // What is wrong with the commit itself, nobody can allow.
      return { type: 'refused', commit, reason: error.reason, message: error.message }
    }
  }

  async tidy(): Promise<void> {
    if (!this.#untidy) return
    this.#unsettled = true
    await this.#source.tidy(this.#options.signal)
    this.#unsettled = false
    this.#untidy = false
  }

  get #from(): string | undefined {
    const { acceptedNow } = this.#options
    return acceptedNow ? acceptedNow() : this.#accepted
  }

  #mayRewrite(head: string): boolean {
    return this.#options.mayRewrite?.(head) ?? false
  }

  #read(commit: string, gitdir: string): Promise<RepoSnapshot> {
    return readSnapshot(objectStore(gitdir), commit, { folder: this.#options.folder ?? '', cache: this.#cache })
  }

  async #rewriteIn(commit: string, history: FetchedHistory): Promise<Refusal | undefined> {
    const from = this.#from
    if (from === undefined || this.#mayRewrite(commit)) return undefined
    const answer = await history.ask((store) => isDescendant(store, { commit, from }), isKnown)
    if (answer === 'yes') return undefined
    const isLasting = () => !this.#mayRewrite(commit)
    return { ...(answer === 'no' ? rewritten(commit, from) : ancestryUnknown(commit, from)), isLasting }
  }

  /** What was accepted before is not asked for a signature: it is what runs. */
  async #unverified(fetched: FetchedHead, { history, keys }: { history: FetchedHistory; keys: TrustedKeys | undefined }) {
    const { signatures } = this.#options
    const { commit: head } = fetched
    const from = this.#from
    if (!signatures || !keys || head === from) return undefined
    const [mode, now] = [signatures.mode, signatures.now()]
    const why = await unverified({ head, from, mode, keys, now, history, tag: tagOf(fetched) })
    if (why === undefined) return undefined
    const isRecent = () => Math.abs(signatures.now() - now) < TRUST_EVERY
    return { ...untrusted(head, why), isLasting: (others: TrustedKeys | undefined) => others?.id === keys.id && isRecent() }
  }

  #accept(snapshot: RepoSnapshot): RepoEvent {
    this.#accepted = snapshot.commit
    return { type: 'snapshot', snapshot }
  }
}

/** A tag that is an object of its own, which may be signed. */
function tagOf({ named, commit, gitdir, tag }: FetchedHead): HeadTag | undefined {
  return tag === undefined || named === commit ? undefined : { name: tag, oid: named, store: objectStore(gitdir) }
}

function isKnown(answer: 'yes' | 'no' | 'unknown'): boolean {
  return answer !== 'unknown'
}
