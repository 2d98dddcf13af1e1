import { type CommitStatus, type CommitStatuses, ForgeError } from '../../forge/status/commit-status.ts'
import { cutDescription } from '../../forge/status/cut-description.ts'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { Clock } from '../clock/clock.ts'
import type { Log } from '../log/log.ts'
import { RemoteRounds } from '../remote-rounds/remote-rounds.ts'
import { duePosts, keyOf, type Posted, type Wanted } from './due-posts.ts'
import { statusesOf } from './pool-statuses.ts'

export interface PosterPool {
  readonly name: string
  readonly status: Partial<NodePoolStatus>
}

export interface StatusPosterOptions {
  readonly statuses: CommitStatuses
  /** In the log. Default: commit statuses. */
  readonly name?: string
  /** Contexts are `<prefix>/<pool>`. */
  readonly prefix: string
  readonly pools: () => Iterable<PosterPool>
  readonly clock: Clock
  readonly log: Log
}

/** Of a commit in the log. */
const SHOWN_DIGITS = 7

/**
 * Keeps the statuses beside commits as the pools are. What it does not know to be posted is read from the forge, so a lost answer or another
 * leader posts nothing twice. No rollout waits for it.
 */
export class StatusPoster {
  readonly #options: StatusPosterOptions
  /** Refused by commit, where its statuses cannot be read; by commit and context, where one cannot be posted. */
  readonly #rounds: RemoteRounds
  readonly #posted = new Map<string, Posted>()
  readonly #known = new Set<string>()

  constructor(options: StatusPosterOptions) {
    this.#options = options
    this.#rounds = new RemoteRounds({ ...options, name: options.name ?? 'commit statuses' })
  }

  /** The pools may have changed. */
  readonly fire = (): void => this.#rounds.fire()

  run(signal: AbortSignal): Promise<void> {
    return this.#rounds.run(() => this.#round(signal), signal)
  }

  async #round(signal: AbortSignal): Promise<Instant | undefined> {
    const wanted = this.#wanted()
    for (const { commit } of wanted) await this.#unlessRefused(commit, () => this.#learn(commit, signal))
    const { repeatsDescriptions: repeats } = this.#options.statuses
    const known = wanted.filter(({ commit }) => this.#known.has(commit))
    const { due, wakeAt } = duePosts(known, { posted: this.#posted, repeats }, this.#options.clock.now())
    for (const status of due) await this.#unlessRefused(keyOf(status), () => this.#post(status, signal))
    this.#forget(wanted)
    return wakeAt
  }

  #wanted(): readonly Wanted[] {
    const { pools, prefix, statuses } = this.#options
    return [...pools()].flatMap(({ name, status }) => {
      const current = new Set(
        [status.target?.revision, status.observedRevision].map((revision) => revision && commitOf(revision)),
      )
      return statusesOf({ status, context: `${prefix}/${name}` }).map((said) => ({
        ...said,
        description: cutDescription(said.description, statuses.longestDescription),
        isPast: !current.has(said.commit),
      }))
    })
  }

  #unlessRefused(key: string, ask: () => Promise<void>): Promise<void> {
    return this.#rounds.unlessRefused({ key, shown: key.slice(0, SHOWN_DIGITS) }, ask)
  }

  async #learn(commit: string, signal: AbortSignal): Promise<void> {
    if (this.#known.has(commit)) return
    const { statuses, clock } = this.#options
    for (const { context, ...shown } of await statuses.list(commit, signal))
      this.#posted.set(keyOf({ commit, context }), { ...shown, at: clock.now(), count: 0 })
    this.#known.add(commit)
  }

  async #post(status: CommitStatus, signal: AbortSignal): Promise<void> {
    const { statuses, clock } = this.#options
    const { state, description } = status
    try {
      await statuses.post(status, signal)
    } catch (error) {
      // It may have been taken, and the answer lost.
      if (!(error instanceof ForgeError && error.isRefusal)) this.#known.delete(status.commit)
      throw error
    }
    const count = (this.#posted.get(keyOf(status))?.count ?? 0) + 1
    this.#posted.set(keyOf(status), { state, description, at: clock.now(), count })
  }

  /** What no pool knows any more. */
  #forget(wanted: readonly Wanted[]): void {
    const commits = new Set(wanted.map(({ commit }) => commit))
    const isGone = (key: string) => !commits.has(key.split(' ', 1)[0] ?? '')
    for (const kept of [this.#known, this.#posted, this.#rounds.refusals])
      for (const key of kept.keys()) if (isGone(key)) kept.delete(key)
  }
}
