/** Items by name; those that are looked for together share a key. */
export class GroupedItems<T extends { readonly name: string }> {
  readonly #byName = new Map<string, T>()
  readonly #groups = new Map<string, Map<string, T>>()
  readonly #keyOf: (item: T) => string | undefined
  #all: readonly T[] | undefined

  /** @param keyOf undefined for an item that is found by its name alone */
  constructor(keyOf: (item: T) => string | undefined) {
    this.#keyOf = keyOf
  }

  get byName(): ReadonlyMap<string, T> {
    return this.#byName
  }

  /** In the order in which they came. The same array for as long as nothing changes. */
  get all(): readonly T[] {
    this.#all ??= [...this.#byName.values()]
    return this.#all
  }

  /** Those with this key, in the order in which they came. */
  group(key: string): Iterable<T> {
    return this.#groups.get(key)?.values() ?? []
  }

  set(item: T): void {
    const key = this.#keyOf(item)
    const known = this.#byName.get(item.name)
    if (known && this.#keyOf(known) !== key) this.#leaveGroup(known)
    this.#byName.set(item.name, item)
    this.#all = undefined
    if (key !== undefined) this.#groupOf(key).set(item.name, item)
  }

  delete(name: string): T | undefined {
    const item = this.#byName.get(name)
    if (!item) return undefined
    this.#byName.delete(name)
    this.#all = undefined
    this.#leaveGroup(item)
    return item
  }

  clear(): void {
    this.#byName.clear()
    this.#all = undefined
    this.#groups.clear()
  }

  #groupOf(key: string): Map<string, T> {
    const group = this.#groups.get(key) ?? new Map<string, T>()
    this.#groups.set(key, group)
    return group
  }

  #leaveGroup(item: T): void {
    const key = this.#keyOf(item)
    if (key === undefined) return
    const group = this.#groups.get(key)
    group?.delete(item.name)
    if (group?.size === 0) this.#groups.delete(key)
  }
}
