import type { StoredChange } from './change.ts'

/** The last changes of one resource: what a watch can still catch up on. */
export class History {
  readonly #limit: number
  #changes: StoredChange[] = []
  /** Every change after this revision is still here. */
  #knownAfter: number

  constructor(limit: number, knownAfter: number) {
    this.#limit = limit
    this.#knownAfter = knownAfter
  }

  append(change: StoredChange): void {
    this.#changes.push(change)
    // Trimmed in one go at twice the limit: shifting one element per write would cost more than the write.
    if (this.#changes.length >= this.#limit * 2) this.#forget(this.#changes.length - this.#limit)
  }

  /** @returns undefined when changes after `revision` have been forgotten. */
  since(revision: number): readonly StoredChange[] | undefined {
    if (revision < this.#knownAfter) return undefined
    let first = this.#changes.length
    while (first > 0 && (this.#changes[first - 1]?.entry.revision ?? 0) > revision) first--
    return this.#changes.slice(first)
  }

  get oldest(): number {
    return this.#knownAfter
  }

  /** As a compaction does: no watch can start before `revision` any more. */
  compact(revision: number): void {
    this.#forget(this.#changes.filter((change) => change.entry.revision <= revision).length)
    this.#knownAfter = Math.max(this.#knownAfter, revision)
  }

  #forget(count: number): void {
    const last = this.#changes[count - 1]
    if (!last) return
    this.#knownAfter = last.entry.revision
    this.#changes = this.#changes.slice(count)
  }
}
