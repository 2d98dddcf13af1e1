import type { Timers } from '../../src/kube/timers.ts'
import { withDeadline } from '../waiting/until.ts'

interface Pending {
  readonly due: number
  readonly milliseconds: number
  readonly call: () => void
}

/** Time that stands still until the test moves it. */
export class ManualTimers implements Timers {
  readonly #pending = new Set<Pending>()
  #now = 0
  #waiters: (() => void)[] = []

  elapsed(): number {
    return this.#now
  }

  after(milliseconds: number, call: () => void): () => void {
    const timer = { due: this.#now + milliseconds, milliseconds, call }
    this.#pending.add(timer)
    for (const wake of this.#waiters.splice(0)) wake()
    return () => this.#pending.delete(timer)
  }

  /** The milliseconds that somebody waits for now. */
  get waits(): readonly number[] {
    return [...this.#pending].map((timer) => timer.milliseconds)
  }

  /** Resolves once somebody waits for exactly so many milliseconds. */
  async awaited(milliseconds: number): Promise<void> {
    const last = (): readonly number[] => this.waits
    while (!this.waits.includes(milliseconds))
      await withDeadline(new Promise<void>((resolve) => this.#waiters.push(resolve)), {
        for: `a timer of ${milliseconds} ms`,
        last,
      })
  }

  /** Lets so many milliseconds pass once somebody waits for them. */
  async pass(milliseconds: number): Promise<void> {
    await this.awaited(milliseconds)
    this.advance(milliseconds)
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds
    for (const timer of [...this.#pending].filter(({ due }) => due <= this.#now)) {
      this.#pending.delete(timer)
      timer.call()
    }
  }
}
