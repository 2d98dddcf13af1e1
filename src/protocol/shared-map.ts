/**
 * Values by name. Never changed: one with other values shares the names with the last one, and is made without a look at each of them.
 */
export class SharedMap<T> {
  readonly #places: ReadonlyMap<string, number>
  readonly #values: readonly T[]

  private constructor(places: ReadonlyMap<string, number>, values: readonly T[]) {
    this.#places = places
    this.#values = values
  }

  static of<T>(entries: ReadonlyMap<string, T>): SharedMap<T> {
    return new SharedMap(new Map([...entries.keys()].map((name, place) => [name, place])), [...entries.values()])
  }

  get(name: string): T | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : this.#values[place]
  }

  *[Symbol.iterator](): Iterator<[string, T]> {
    for (const [name, place] of this.#places) yield [name, this.#values[place] as T]
  }

  /** With these in the places of those that have their names. @throws {RangeError} for a name that is not there */
  with(others: ReadonlyMap<string, T>): SharedMap<T> {
    const values = this.#values.slice()
    for (const [name, value] of others) {
      const place = this.#places.get(name)
      if (place === undefined) throw new RangeError(`put "${name}": there is no such name`)
      values[place] = value
    }
    return new SharedMap(this.#places, values)
  }
}
