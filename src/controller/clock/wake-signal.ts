import type { Clock } from './clock.ts'

/** Brings many tellings together: however often `fire` is called before the next `wait`, it is one wake. */
export class WakeSignal {
  #fired = false
  #wake: (() => void) | undefined

  readonly fire = (): void => {
    this.#fired = true
    this.#wake?.()
  }

  /**
   * Until fired, `until` has come, or `signal` aborts.
   * What was read from the socket together is handled in one turn of the event loop, so one turn is given to it before returning.
   */
  async wait(
    clock: Clock,
    { until, signal }: { readonly until?: number | undefined; readonly signal: AbortSignal },
  ): Promise<void> {
    const settled = new AbortController()
    const either = AbortSignal.any([signal, settled.signal])
    if (!this.#fired && !signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const stopped = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true, signal: settled.signal })
      })
      const due = until === undefined ? [] : [clock.sleepUntil(until, either)]
      await Promise.race([woken, stopped, ...due])
      settled.abort()
    }
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    this.#wake = undefined
    this.#fired = false
  }
}
