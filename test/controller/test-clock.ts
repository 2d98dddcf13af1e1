import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/controller/clock/clock.ts'

/** Stands still until it is moved. */
export class TestClock implements Clock {
  #now: number
  readonly #watchers: { readonly at: number; readonly resolve: () => void }[] = []
  #sleepWatchers: (() => void)[] = []
  readonly #sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()

  constructor(now = Date.UTC(2026, 10, 21, 8)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  /** Of this clock there is one only. */
  elapsed(): number {
    return this.#now
  }

  sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    if (at <= this.#now || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper = { at, wake: resolve }
      this.#sleepers.add(sleeper)
      for (const watcher of this.#watchers) if (watcher.at === at) watcher.resolve()
      for (const wake of this.#sleepWatchers.splice(0)) wake()
      signal.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper)
        resolve()
      })
    })
  }

  /** Resolves when somebody sleeps for so long, from now on or already. */
  awaited(milliseconds: number): Promise<void> {
    const at = this.#now + milliseconds
    if ([...this.#sleepers].some((sleeper) => sleeper.at === at)) return Promise.resolve()
    return new Promise((resolve) => this.#watchers.push({ at, resolve }))
  }

  /** Time passes while somebody sleeps, each time until the first wakes, until `wanted` is there. Who sleeps longer than `atMost` sleeps on. */
  async passUntil<T>(wanted: Promise<T>, { atMost }: { readonly atMost: number }): Promise<T> {
    for (;;) {
      const first = await Promise.race([wanted.then((value) => ({ value })), this.#firstWake(atMost).then((rest) => ({ rest }))])
      if ('value' in first) return first.value
      this.advance(first.rest)
      await setImmediate()
    }
  }

  /** Milliseconds from now, once somebody sleeps. */
  async #firstWake(atMost: number): Promise<number> {
    for (;;) {
      const rests = [...this.#sleepers].map(({ at }) => at - this.#now).filter((rest) => rest <= atMost)
      if (rests.length > 0) return Math.min(...rests)
      await new Promise<void>((resolve) => this.#sleepWatchers.push(resolve))
    }
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds
    for (const sleeper of this.#sleepers)
      if (sleeper.at <= this.#now) {
        this.#sleepers.delete(sleeper)
        sleeper.wake()
      }
  }
}
