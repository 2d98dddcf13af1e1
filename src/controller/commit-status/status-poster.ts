import { type CommitStatus, type CommitStatuses, ForgeError } from '../../forge/status/commit-status.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { Clock } from '../clock/clock.ts'
import { WakeSignal } from '../clock/wake-signal.ts'
import type { Log } from '../log.ts'
import { duePosts, keyOf, type Posted, type Wanted } from './due-posts.ts'
import { statusesOf } from './pool-statuses.ts'
import { backoffAfter, Refusals } from './refusals.ts'

export interface PosterPool {
  readonly name: string
  readonly status: Partial<NodePoolStatus>
}

export interface StatusPosterOptions {
  readonly statuses: CommitStatuses
  /** Contexts are `<prefix>/<pool>`. */
  readonly prefix: string
  readonly pools: () => Iterable<PosterPool>
  readonly clock: Clock
  readonly log: Log
}

/** Milliseconds between two rounds. */
const REST = 1_000
/** Of a commit in the log. */
const SHOWN_DIGITS = 7

/**
 * Keeps the statuses beside commits as the pools are. What it does not know to be posted is read from the forge, so a lost answer or another
 * leader posts nothing twice. No rollout waits for it.
 */
export class StatusPoster {
  readonly #options: StatusPosterOptions
  readonly #changed = new WakeSignal()
  readonly #posted = new Map<string, Posted>()
  readonly #known = new Set<string>()
  /** By commit, where its statuses cannot be read; by commit and context, where one cannot be posted. */
  readonly #refusals = new Refusals()
  #failures = 0
  #said = ''

  constructor(options: StatusPosterOptions) {
    this.#options = options
  }

  /** The pools may have changed. */
  readonly fire = (): void => this.#changed.fire()

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      const { until, rest } = await this.#round(signal)
      await this.#changed.wait(clock, { until, notBefore: clock.elapsed() + rest, signal })
    }
  }

  async #round(signal: AbortSignal): Promise<{ readonly until: Instant | undefined; readonly rest: number }> {
    const { clock } = this.#options
    try {
      const wanted = this.#wanted()
      for (const { commit } of wanted) await this.#unlessRefused(commit, () => this.#learn(commit, signal))
      const known = wanted.filter(({ commit }) => this.#known.has(commit))
      const { due, wakeAt } = duePosts(known, this.#posted, clock.now())
      for (const status of due) await this.#unlessRefused(keyOf(status), () => this.#post(status, signal))
      this.#forget(wanted)
      this.#failures = 0
      this.#said = ''
      return { until: this.#refusals.nextAt(clock.now(), wakeAt), rest: REST }
    } catch (error) {
      if (signal.aborted) return { until: undefined, rest: 0 }
      const rest = this.#failed(error)
      return { until: clock.now() + rest, rest }
    }
  }

  #wanted(): readonly Wanted[] {
    const { pools, prefix, statuses } = this.#options
    return [...pools()].flatMap(({ name, status }) => {
      const current = new Set(
        [status.target?.revision, status.observedRevision].map((revision) => revision && commitOf(revision)),
      )
      return statusesOf({ status, context: `${prefix}/${name}` }).map((said) => ({
        ...said,
        description: cut(said.description, statuses.longestDescription),
        isPast: !current.has(said.commit),
      }))
    })
  }

  /** @throws {ForgeError} when the forge takes nothing at all now */
  async #unlessRefused(key: string, ask: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#options
    if (this.#refusals.isWaiting(key, clock.now())) return
    try {
      await ask()
      this.#refusals.delete(key)
    } catch (error) {
      if (!(error instanceof ForgeError && error.isRefusal)) throw error
      const { rest, isFirst } = this.#refusals.add(key, clock.now())
      const says = `commit statuses: ${key.slice(0, SHOWN_DIGITS)}: ${error.message}`
      if (isFirst) log('warn', `${says}; tried again until it works, next in ${rest / 1000} s`)
    }
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
    for (const kept of [this.#known, this.#posted, this.#refusals])
      for (const key of kept.keys()) if (isGone(key)) kept.delete(key)
  }

  /** @returns milliseconds to rest */
  #failed(error: unknown): number {
    const { log } = this.#options
    this.#failures += 1
    const backoff = backoffAfter(this.#failures)
    const rest = error instanceof ForgeError ? Math.max(backoff, error.retryAfter ?? 0) : backoff
    const says = `commit statuses: ${String((error as Error).message)}`
    if (says !== this.#said) log('warn', `${says}; tried again until it works, next in ${Math.round(rest / 1000)} s`)
    this.#said = says
    return rest
  }
}

function cut(text: string, longest: number): string {
  const shown = foreignText(text, text.length * 12)
  return shown.length > longest ? `${shown.slice(0, longest - 1)}…` : shown
}
