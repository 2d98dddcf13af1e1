import type { StoredChange } from '../storage/change.ts'
import type { Collection } from '../storage/collection.ts'

export interface Watcher {
  /** The one key it watches, if it is one only: the usual case of agents, found without asking every other watcher. */
  readonly key: string | undefined
  readonly deliver: (change: StoredChange) => void
  /** Ends the connection, as a server does that goes down. */
  readonly end: () => void
  /** From now on nothing comes any more, though the connection stays open. */
  readonly mute: () => void
}

/** Takes each change to the watchers it may concern. */
export class WatchHub {
  readonly #audiences = new Map<Collection, Audience>()

  /** @returns how to leave. */
  join(collection: Collection, watcher: Watcher): () => void {
    let audience = this.#audiences.get(collection)
    if (!audience) {
      audience = new Audience()
      this.#audiences.set(collection, audience)
      collection.listen((change) => audience?.publish(change))
    }
    return audience.join(watcher)
  }

  get size(): number {
    return this.#all().length
  }

  endAll(collection?: Collection): void {
    const watchers = collection ? (this.#audiences.get(collection)?.all() ?? []) : this.#all()
    for (const watcher of watchers) watcher.end()
  }

  muteAll(): void {
    for (const watcher of this.#all()) watcher.mute()
  }

  #all(): Watcher[] {
    return [...this.#audiences.values()].flatMap((audience) => audience.all())
  }
}

class Audience {
  readonly #everything = new Set<Watcher>()
  readonly #byKey = new Map<string, Set<Watcher>>()

  join(watcher: Watcher): () => void {
    const { key } = watcher
    if (key === undefined) {
      this.#everything.add(watcher)
      return () => this.#everything.delete(watcher)
    }
    const others = this.#byKey.get(key) ?? new Set()
    this.#byKey.set(key, others.add(watcher))
    return () => {
      others.delete(watcher)
      if (others.size === 0) this.#byKey.delete(key)
    }
  }

  publish(change: StoredChange): void {
    for (const watcher of this.#everything) watcher.deliver(change)
    for (const watcher of this.#byKey.get(change.entry.key) ?? []) watcher.deliver(change)
  }

  all(): Watcher[] {
    return [...this.#everything, ...[...this.#byKey.values()].flatMap((watchers) => [...watchers])]
  }
}
