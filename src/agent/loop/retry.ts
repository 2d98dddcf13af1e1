import { backoff, type Pauses } from '../../kube/backoff.ts'

/** Counts failures in a row, and says how long to wait after each. */
export class Retry {
  readonly #pauses: Pauses
  readonly #random: () => number
  #failures = 0

  constructor(pauses: Pauses, random: () => number) {
    this.#pauses = pauses
    this.#random = random
  }

  /** @returns milliseconds until the next attempt. */
  failed(): number {
    this.#failures++
    return backoff(this.#failures, this.#random, this.#pauses)
  }

  succeeded(): void {
    this.#failures = 0
  }
}
