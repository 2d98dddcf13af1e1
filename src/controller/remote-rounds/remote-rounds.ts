import { RemoteError } from '../../remote/remote-error.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { Clock } from '../clock/clock.ts'
import { WakeSignal } from '../clock/wake-signal.ts'
import type { Log } from '../log/log.ts'
import { backoffAfter, Refusals } from './refusals.ts'

export interface RemoteRoundsOptions {
  /** In the log: `commit statuses`. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
}

/** Milliseconds between two rounds. */
const REST = 1_000

/** Requests to a server that is not the cluster, again when something changes. One that fails is asked later and later; nobody waits for it. */
export class RemoteRounds {
  readonly #options: RemoteRoundsOptions
  readonly #changed = new WakeSignal()
  readonly refusals = new Refusals()
  #failures = 0
  #said = ''

  constructor(options: RemoteRoundsOptions) {
    this.#options = options
  }

  fire(): void {
    this.#changed.fire()
  }

  /** @param round gives when the next one is due though nothing changes */
  async run(round: () => Promise<Instant | undefined>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      const { until, rest } = await this.#once(round, signal)
      await this.#changed.wait(clock, { until, notBefore: clock.elapsed() + rest, signal })
    }
  }

  /**
   * @param shown how the log names it
   * @throws {RemoteError} when the server takes nothing at all now
   */
  async unlessRefused({ key, shown }: { readonly key: string; readonly shown: string }, ask: () => Promise<void>): Promise<void> {
    const { clock, log, name } = this.#options
    if (this.refusals.isWaiting(key, clock.now())) return
    try {
      await ask()
      this.refusals.delete(key)
    } catch (error) {
      if (!(error instanceof RemoteError && error.isRefusal)) throw error
      const { rest, isFirst } = this.refusals.add(key, clock.now())
      if (isFirst) log('warn', `${name}: ${shown}: ${error.message}; tried again until it works, next in ${rest / 1000} s`)
    }
  }

  async #once(round: () => Promise<Instant | undefined>, signal: AbortSignal) {
    const { clock } = this.#options
    try {
      const wakeAt = await round()
      this.#failures = 0
      this.#said = ''
      return { until: this.refusals.nextAt(clock.now(), wakeAt), rest: REST }
    } catch (error) {
      if (signal.aborted) return { until: undefined, rest: 0 }
      const rest = this.#failed(error)
      return { until: clock.now() + rest, rest }
    }
  }

  /** @returns milliseconds to rest */
  #failed(error: unknown): number {
    const { log, name } = this.#options
    this.#failures += 1
    const backoff = backoffAfter(this.#failures)
    const rest = error instanceof RemoteError ? Math.max(backoff, error.retryAfter ?? 0) : backoff
    const says = `${name}: ${String((error as Error).message)}`
    if (says !== this.#said) log('warn', `${says}; tried again until it works, next in ${Math.round(rest / 1000)} s`)
    this.#said = says
    return rest
  }
}
