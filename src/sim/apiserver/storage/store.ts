import type { ApiObject } from '../api-object.ts'
import { objectKey } from '../api-object.ts'
import { Collection } from './collection.ts'
import { Entry } from './entry.ts'

/**
 * Every object, under one revision counter as etcd has it. A collection is named as kubectl names resources:
 * `nodes`, `leases.coordination.k8s.io`. Nothing is checked here; that is done before.
 */
export class Store {
  readonly #collections = new Map<string, Collection>()
  readonly #historyLimit: number
  #revision = 1

  constructor(options: { readonly historyLimit: number }) {
    this.#historyLimit = options.historyLimit
  }

  get revision(): number {
    return this.#revision
  }

  /** Made when first asked for; what watches can catch up on begins then. */
  collection(name: string): Collection {
    let found = this.#collections.get(name)
    if (!found) {
      found = new Collection({ historyLimit: this.#historyLimit, knownAfter: this.#revision })
      this.#collections.set(name, found)
    }
    return found
  }

  names(): string[] {
    return [...this.#collections.keys()]
  }

  get(collection: string, key: string): ApiObject | undefined {
    return this.collection(collection).get(key)?.object
  }

  list(collection: string): ApiObject[] {
    return this.collection(collection)
      .sorted()
      .map((entry) => entry.object)
  }

  /** Creates or replaces; the object gets the new revision as its resourceVersion. */
  put(collection: string, object: ApiObject): Entry {
    const held = this.collection(collection)
    const previous = held.get(objectKey(object))
    const entry = this.#stamped(object)
    held.record({ type: previous ? 'MODIFIED' : 'ADDED', entry, previous })
    return entry
  }

  /** @returns the last state, with the revision of the deletion; undefined when there was no such object. */
  remove(collection: string, key: string): Entry | undefined {
    const held = this.collection(collection)
    const previous = held.get(key)
    if (!previous) return undefined
    const entry = this.#stamped(previous.object)
    held.record({ type: 'DELETED', entry, previous })
    return entry
  }

  /** Forgets all changes up to now, as a compaction of etcd does: older watches and page cursors get 410. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.history.compact(this.#revision)
  }

  #stamped(object: ApiObject): Entry {
    this.#revision++
    const metadata = { ...object.metadata, resourceVersion: String(this.#revision) }
    return new Entry({ ...object, metadata }, this.#revision)
  }
}
