import type { StoredChange } from './change.ts'
import type { Entry } from './entry.ts'
import { History } from './history.ts'

/** All objects of one resource, and what happened to them lately. Written by the store alone. */
export class Collection {
  readonly history: History
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<(change: StoredChange) => void>()
  readonly #untold: StoredChange[] = []
  #order: string[] | undefined
  #sorted: readonly Entry[] | undefined

  constructor(options: { readonly historyLimit: number; readonly knownAfter: number }) {
    this.history = new History(options.historyLimit, options.knownAfter)
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  get size(): number {
    return this.#entries.size
  }

  /** By key, as lists and their pages come. The array is never changed afterwards: a page cursor may keep it. */
  sorted(): readonly Entry[] {
    this.#order ??= [...this.#entries.keys()].sort()
    this.#sorted ??= this.#order.flatMap((key) => this.#entries.get(key) ?? [])
    return this.#sorted
  }

  record(change: StoredChange): void {
    const { key } = change.entry
    if (change.type === 'DELETED') this.#entries.delete(key)
    else this.#entries.set(key, change.entry)
    if (change.type !== 'MODIFIED') this.#order = undefined
    this.#sorted = undefined
    this.history.append(change)
    this.#tell(change)
  }

  /** A listener may write in answer; its change is reported after this one, or watches would hear them the wrong way round. */
  #tell(change: StoredChange): void {
    this.#untold.push(change)
    if (this.#untold.length > 1) return
    try {
      for (let next = this.#untold[0]; next; next = this.#untold[0]) {
        for (const listener of this.#listeners) listener(next)
        next.previous?.dropText()
        this.#untold.shift()
      }
    } finally {
      // A listener that throws fails the write that it answers, not every write after it.
      this.#untold.length = 0
    }
  }

  /** @returns how to stop listening. */
  listen(listener: (change: StoredChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
