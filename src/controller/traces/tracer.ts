import { RemoteError } from '../../remote/remote-error.ts'
import type { Clock } from '../clock/clock.ts'
import type { Log } from '../log/log.ts'
import { RemoteRounds } from '../remote-rounds/remote-rounds.ts'
import type { Span } from './span.ts'
import { SpanRecorder, type TracedFleet } from './span-recorder.ts'

/** @throws {RemoteError} */
export type SendSpans = (spans: readonly Span[], signal: AbortSignal) => Promise<void>

export interface TracerOptions {
  readonly send: SendSpans
  readonly fleet: () => TracedFleet
  readonly clock: Clock
  readonly log: Log
}

const MOST_AT_ONCE = 256
/** About ten megabytes; of more, the oldest are dropped. */
const MOST_WAITING = 8_192

/** Sends spans of what has ended to a collector. No rollout waits for it. */
export class Tracer {
  readonly #options: TracerOptions
  readonly #rounds: RemoteRounds
  readonly #recorder: SpanRecorder
  #waiting: readonly Span[] = []
  #dropped = 0

  constructor(options: TracerOptions) {
    this.#options = options
    this.#rounds = new RemoteRounds({ ...options, name: 'traces' })
    this.#recorder = new SpanRecorder(options.clock.now())
  }

  /** Looked at after each pass, whether or not the collector answers: what is seen now may be gone later. */
  readonly fire = (): void => {
    const { fleet, clock, log } = this.#options
    const ended = this.#recorder.observe(fleet(), clock.now())
    const all = ended.length === 0 ? this.#waiting : this.#waiting.concat(ended)
    this.#waiting = all.slice(-MOST_WAITING)
    const dropped = all.length - this.#waiting.length
    if (dropped > 0 && this.#dropped === 0)
      log('warn', `traces: more than ${MOST_WAITING} spans wait for the collector; the oldest are dropped`)
    this.#dropped += dropped
    this.#rounds.fire()
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#rounds.run(() => this.#round(signal), signal)
  }

  async #round(signal: AbortSignal): Promise<undefined> {
    while (this.#waiting.length > 0 && !signal.aborted) {
      const batch = this.#waiting.slice(0, MOST_AT_ONCE)
      await this.#sendOrDrop(batch, signal)
      const sent = new Set(batch)
      this.#waiting = this.#waiting.filter((span) => !sent.has(span))
    }
    this.#dropped = 0
  }

  async #sendOrDrop(batch: readonly Span[], signal: AbortSignal): Promise<void> {
    try {
      await this.#options.send(batch, signal)
    } catch (error) {
      if (!(error instanceof RemoteError && error.isRefusal)) throw error
      this.#options.log('warn', `traces: the collector refuses ${batch.length} spans: ${error.message}`)
    }
  }
}
