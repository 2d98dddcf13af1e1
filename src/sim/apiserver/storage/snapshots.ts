import type { Entry } from './entry.ts'

/**
 * Lists as they were when their first page was read, so that all pages show one moment. Objects are never changed in place,
 * so a snapshot is no more than an array of them. The oldest goes when there are too many; its page cursors then get 410.
 */
export class Snapshots {
  readonly #limit: number
  readonly #kept = new Map<string, readonly Entry[]>()

  constructor(limit: number) {
    this.#limit = limit
  }

  keep(collection: string, revision: number, entries: readonly Entry[]): void {
    this.#kept.set(`${collection}@${revision}`, entries)
    const oldest = this.#kept.keys().next().value
    if (this.#kept.size > this.#limit && oldest !== undefined) this.#kept.delete(oldest)
  }

  find(collection: string, revision: number): readonly Entry[] | undefined {
    return this.#kept.get(`${collection}@${revision}`)
  }

  clear(): void {
    this.#kept.clear()
  }
}
