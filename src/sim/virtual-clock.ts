import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../agent/ports.ts'

interface Sleeper {
  readonly due: number
  readonly order: number
  readonly wake: () => void
}

/** Time that passes only when a test moves it: hours of a fleet's life in milliseconds, and the same each time. */
export class VirtualClock implements Clock {
  #elapsed = 0
  #wall: number
  #order = 0
  readonly #sleepers = new Set<Sleeper>()
  readonly #settled: () => Promise<unknown>

  /**
   * @param startAt milliseconds since the epoch
   * @param options.settled resolves when all has happened that needs no time; default: a turn of the event loop
   */
  constructor(startAt: number = Date.UTC(2026, 0, 1), { settled = () => setImmediate() as Promise<unknown> } = {}) {
    this.#wall = startAt
    this.#settled = settled
  }

  now(): number {
    return this.#wall + this.#elapsed
  }

  elapsed(): number {
    return this.#elapsed
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { due: this.#elapsed + Math.max(0, milliseconds), order: this.#order++, wake }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', wake, { once: true })
    })
  }

  /** Lets this much time pass; everything that falls due in it happens in its order. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds
    while (await this.#step(end));
    this.#elapsed = end
  }

  /**
   * Lets time pass until `done` holds.
   * @param options.within milliseconds of virtual time; the default is an hour
   * @throws when it does not hold by then, or when nobody waits for time any more.
   */
  async runUntil(done: () => boolean | Promise<boolean>, { within = 3_600_000 } = {}): Promise<void> {
    const end = this.#elapsed + within
    await this.#settled()
    while (!(await done())) {
      if (await this.#step(end)) continue
      throw new Error(`wait for a condition: not so after ${within} ms of virtual time`)
    }
  }

  /**
   * Lets time pass until somebody has waited for long enough, and what follows from that has happened.
   * @param end in milliseconds of `elapsed`
   * @returns false when nobody waits for a time up to then
   */
  step(end: number): Promise<boolean> {
    return this.#step(end)
  }

  /** Somebody waits for a later time. */
  get isAwaited(): boolean {
    return this.#sleepers.size > 0
  }

  /** The wall clock is set; durations are not concerned. */
  jump(milliseconds: number): void {
    this.#wall += milliseconds
  }

  /** One sleeper wakes, and everything that follows from it without waiting has happened. */
  async #step(end: number): Promise<boolean> {
    await this.#settled()
    const next = this.#next()
    if (next === undefined || next.due > end) return false
    this.#elapsed = Math.max(this.#elapsed, next.due)
    next.wake()
    await this.#settled()
    return true
  }

  #next(): Sleeper | undefined {
    let first: Sleeper | undefined
    for (const sleeper of this.#sleepers)
      if (first === undefined || sleeper.due < first.due || (sleeper.due === first.due && sleeper.order < first.order))
        first = sleeper
    return first
  }
}
