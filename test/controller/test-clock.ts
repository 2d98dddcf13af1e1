import type { Clock } from '../../src/controller/clock/clock.ts'

/** Stands still until it is moved. */
export class TestClock implements Clock {
  #now: number
  readonly #watchers: { readonly at: number; readonly resolve: () => void }[] = []
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

  advance(milliseconds: number): void {
    this.#now += milliseconds
    for (const sleeper of this.#sleepers)
      if (sleeper.at <= this.#now) {
        this.#sleepers.delete(sleeper)
        sleeper.wake()
      }
  }
}
