/** Milliseconds between two. */
const REST = 100
/** How much longer than one took no other begins: the controller has other work. */
const TIMES = 20

/** Work that viewers ask for: one at a time, and a twentieth of the time at most, however many ask. */
export class RateLimited {
  readonly #elapsed: () => number
  #next = Number.NEGATIVE_INFINITY

  /** @param elapsed milliseconds of a monotonic clock */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** @returns busy when it is too early: then ask again */
  async run<T>(work: () => Promise<T>): Promise<T | 'busy'> {
    const begun = this.#elapsed()
    if (begun < this.#next) return 'busy'
    this.#next = Number.POSITIVE_INFINITY
    try {
      return await work()
    } finally {
      const now = this.#elapsed()
      this.#next = now + Math.max(REST, TIMES * (now - begun))
    }
  }
}
