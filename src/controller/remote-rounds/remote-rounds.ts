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
  /** What fails keeps what comes after it waiting. */
  readonly inOrder?: true
}

interface Asked {
  readonly key: string
  /** How the log names it. */
  readonly shown: string
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
  /** What failed in the round under way. */
  #setAside: readonly { readonly asked: Asked; readonly error: RemoteError }[] = []

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
   * Of one that fails nobody knows yet whether it is the server that fails: the next one is asked for, too, and twice as many after each round
   * that failed. Where no more than these fail, each is tried again at its own times, and holds up no other.
   * @throws {RemoteError} when the server takes nothing at all now
   */
  async unlessRefused(asked: Asked, ask: () => Promise<void>): Promise<void> {
    const { clock, inOrder } = this.#options
    if (this.refusals.isWaiting(asked.key, clock.now())) return
    try {
      await ask()
      this.refusals.delete(asked.key)
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error
      if (!error.isRefusal && (inOrder || error.retryAfter !== undefined)) throw error
      if (error.isRefusal || this.refusals.has(asked.key)) this.#refused(asked, error)
      else if (this.#setAside.length >= 2 ** this.#failures) throw error
      else this.#setAside = [...this.#setAside, { asked, error }]
    }
  }

  #refused({ key, shown }: Asked, { message }: RemoteError): void {
    const { clock, log, name } = this.#options
    const { rest, isFirst } = this.refusals.add(key, clock.now())
    if (isFirst) log('warn', `${name}: ${shown}: ${message}; tried again until it works, next in ${rest / 1000} s`)
  }

  async #once(round: () => Promise<Instant | undefined>, signal: AbortSignal) {
    const { clock } = this.#options
    this.#setAside = []
    try {
      const wakeAt = await round()
      for (const { asked, error } of this.#setAside) this.#refused(asked, error)
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
