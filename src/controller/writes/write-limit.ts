import type { Instant } from '../../rollout/model/instant.ts'

const HOUR = 3_600_000
/** Writes to one Node within an hour. */
const MOST = 20

/** Where somebody takes back each time what is written to a Node, it is not written again and again. A new controller begins to count. */
export class WriteLimit {
  /** By node: the versions that it was written at, and when. */
  readonly #writes = new Map<string, ReadonlyMap<string, Instant>>()

  forgetOld(now: Instant): void {
    for (const [name, writes] of this.#writes) {
      const young = [...writes].filter(([, at]) => Math.abs(now - at) < HOUR)
      if (young.length === 0) this.#writes.delete(name)
      else this.#writes.set(name, new Map(young))
    }
  }

  /** What was not sent is asked for again at the same version, and counts once. */
  mayWrite({ name, resourceVersion }: { readonly name: string; readonly resourceVersion: string }, now: Instant): boolean {
    const writes = this.#writes.get(name) ?? new Map<string, Instant>()
    if (writes.has(resourceVersion)) return true
    if (writes.size >= MOST) return false
    this.#writes.set(name, new Map(writes).set(resourceVersion, now))
    return true
  }

  /** When another write of the node is allowed; undefined: now. */
  nextAt(name: string): Instant | undefined {
    const writes = this.#writes.get(name) ?? new Map<string, Instant>()
    return writes.size < MOST ? undefined : Math.min(...writes.values()) + HOUR
  }
}
