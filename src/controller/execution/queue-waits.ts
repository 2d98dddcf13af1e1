import type { WrittenObject } from '../writes/write-failures.ts'

export interface QueueWaitsOptions {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  /** Called for each sent write with the milliseconds that it was queued. */
  readonly sent: (waited: number) => void
}

/** How long writes are queued. What a pass takes back and decides to write again waits since it was queued first. */
export class QueueWaits {
  readonly #options: QueueWaitsOptions
  #queued = new Map<WrittenObject, number>()
  /** By the pass under way. */
  #recalled = new Map<WrittenObject, number>()

  constructor(options: QueueWaitsOptions) {
    this.#options = options
  }

  queued(object: WrittenObject): void {
    this.#queued.set(object, this.#recalled.get(object) ?? this.#options.elapsed())
    this.#recalled.delete(object)
  }

  /** A pass takes back what was not sent. */
  recalled(): void {
    this.#recalled = this.#queued
    this.#queued = new Map()
  }

  sent(object: WrittenObject): void {
    const { elapsed, sent } = this.#options
    const since = this.#queued.get(object)
    this.#queued.delete(object)
    if (since !== undefined) sent(elapsed() - since)
  }
}
