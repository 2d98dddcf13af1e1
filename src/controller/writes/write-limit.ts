import type { Instant } from '../../rollout/model/instant.ts'

const HOUR = 3_600_000
/** Writes to one Node within an hour. */
const MOST = 20

/**
 * Where somebody takes back each time what is written to a Node, it is not written again and again. What the API server refuses counts nothing: it
 * waits as other failures do. A new controller begins to count.
 */
export class WriteLimit {
  /** By node. */
  readonly #writes = new Map<string, readonly Instant[]>()

  forgetOld(now: Instant): void {
    for (const [name, writes] of this.#writes) {
      const young = writes.filter((at) => Math.abs(now - at) < HOUR)
      if (young.length === 0) this.#writes.delete(name)
      else this.#writes.set(name, young)
    }
  }

  /** The API server has taken it. */
  wrote(name: string, now: Instant): void {
    this.#writes.set(name, [...this.#of(name), now])
  }

  mayWrite(name: string): boolean {
    return this.#of(name).length < MOST
  }

  /** When another write of the node is allowed; undefined: now. */
  nextAt(name: string): Instant | undefined {
    return this.mayWrite(name) ? undefined : Math.min(...this.#of(name)) + HOUR
  }

  #of(name: string): readonly Instant[] {
    return this.#writes.get(name) ?? []
  }
}
