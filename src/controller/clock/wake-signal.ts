import type { Instant } from '../../rollout/model/instant.ts'
import type { Clock } from './clock.ts'

/** The default reason would be another exception, with its stack, for each wait. */
const SETTLED = 'settled'

export interface WaitOptions {
  readonly until?: Instant | undefined
  /** On the monotonic clock: no sooner, whatever happens. */
  readonly notBefore?: number
  readonly signal: AbortSignal
}

/** Combines many calls: however often `fire` is called before the next `wait`, it is one wake. */
export class WakeSignal {
  readonly #elapsed: (() => number) | undefined
  #fired = false
  #firedAt: number | undefined
  #wake: (() => void) | undefined

  /** @param elapsed monotonic milliseconds; absent: nobody asks how long a call waited */
  constructor(elapsed?: () => number) {
    this.#elapsed = elapsed
  }

  readonly fire = (): void => {
    this.#fired = true
    this.#firedAt ??= this.#elapsed?.()
    this.#wake?.()
  }

  /** What fired counts as seen to. @returns when the first call came since this was asked before; undefined: none did */
  take(): number | undefined {
    const firedAt = this.#firedAt
    this.#firedAt = undefined
    return firedAt
  }

  /**
   * Until fired, `until` has come, or `signal` aborts; what fires before `notBefore` is one wake at that time.
   * What was read from the socket together is handled in one turn of the event loop, so one turn is given to it before returning.
   */
  async wait(clock: Clock, { until, notBefore, signal }: WaitOptions): Promise<void> {
    const settled = new AbortController()
    const either = AbortSignal.any([signal, settled.signal])
    if (!this.#fired && !signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const stopped = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { signal: settled.signal })
      })
      const due = until === undefined ? [] : [clock.sleepUntil(until, either)]
      await Promise.race([woken, stopped, ...due])
      settled.abort(SETTLED)
    }
    const early = (notBefore ?? 0) - clock.elapsed()
    if (early > 0) await clock.sleepUntil(clock.now() + early, signal)
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    this.#wake = undefined
    this.#fired = false
  }
}
