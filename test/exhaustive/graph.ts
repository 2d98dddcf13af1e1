/** The states that were found, by number, and how each was reached first. */
export class Graph {
  readonly #numbers = new Map<string, number>()
  readonly #from: number[] = []
  readonly #labels: number[] = []
  readonly #names: string[] = []
  readonly #nameNumbers = new Map<string, number>()
  /** What follows by itself; -1: not known, -2: the fleet is at rest. */
  readonly #next: number[] = []

  get size(): number {
    return this.#from.length
  }

  find(key: string): number | undefined {
    return this.#numbers.get(key)
  }

  add(key: string, { from, label }: { readonly from: number; readonly label: string }): number {
    const number = this.#from.length
    this.#numbers.set(key, number)
    this.#from.push(from)
    this.#labels.push(this.#nameOf(label))
    this.#next.push(-1)
    return number
  }

  follows(number: number, next: number): void {
    this.#next[number] = next
  }

  /** The events that lead to a state, from the first one on. */
  story(number: number): string[] {
    const labels: string[] = []
    for (let at = number; at > 0; at = this.#from[at] ?? 0) labels.push(this.#names[this.#labels[at] ?? 0] ?? '')
    return labels.reverse()
  }

  /** A state from which what goes on by itself never ends: it leads into a circle. */
  endless(): number | undefined {
    const ends = new Uint8Array(this.size)
    for (let start = 0; start < this.size; start++) {
      const way: number[] = []
      let at = start
      while (at >= 0 && ends[at] === 0) {
        ends[at] = 2
        way.push(at)
        at = this.#next[at] ?? -1
      }
      if (at >= 0 && ends[at] === 2) return at
      for (const passed of way) ends[passed] = 1
    }
    return undefined
  }

  #nameOf(label: string): number {
    const number = this.#nameNumbers.get(label) ?? this.#names.length
    if (number === this.#names.length) {
      this.#names.push(label)
      this.#nameNumbers.set(label, number)
    }
    return number
  }
}
