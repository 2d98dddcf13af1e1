import type { GitObject } from './git-object.ts'

/** Bytes of bases that are kept while the deltas on them are applied. */
const MAX_CACHED = 24 * 1024 * 1024
/** What an object costs besides its bytes. */
export const OVERHEAD = 100

/** Objects by where they begin in a pack. */
export class BaseCache {
  readonly #objects = new Map<number, GitObject>()
  #bytes = 0

  has(offset: number): boolean {
    return this.#objects.has(offset)
  }

  get(offset: number): GitObject | undefined {
    return this.#objects.get(offset)
  }

  /** The oldest go first. */
  set(offset: number, object: GitObject): void {
    if (this.#objects.has(offset)) return
    this.#objects.set(offset, object)
    this.#bytes += object.content.length + OVERHEAD
    for (const [oldest, { content }] of this.#objects) {
      if (this.#bytes <= MAX_CACHED) break
      this.#objects.delete(oldest)
      this.#bytes -= content.length + OVERHEAD
    }
  }
}
