interface Line {
  readonly waiting: Set<string>
  underWay: Promise<void>
  next: Promise<void> | undefined
}

/** One write of a key at a time: what is added while one is under way waits, and is written together. */
export class Batches<Key> {
  readonly #write: (key: Key, items: ReadonlySet<string>) => Promise<void>
  readonly #lines = new Map<Key, Line>()

  constructor(write: (key: Key, items: ReadonlySet<string>) => Promise<void>) {
    this.#write = write
  }

  /** Resolves when a write that began after this call has ended. @throws what that write throws */
  add(key: Key, items: Iterable<string>): Promise<void> {
    const line = this.#lines.get(key) ?? { waiting: new Set(), underWay: Promise.resolve(), next: undefined }
    this.#lines.set(key, line)
    for (const item of items) line.waiting.add(item)
    line.next ??= line.underWay.catch(ignore).then(() => this.#begin(key, line))
    return line.next
  }

  async #begin(key: Key, line: Line): Promise<void> {
    const items = new Set(line.waiting)
    line.waiting.clear()
    line.underWay = line.next ?? Promise.resolve()
    line.next = undefined
    try {
      await this.#write(key, items)
    } finally {
      if (line.next === undefined) this.#lines.delete(key)
    }
  }
}

function ignore(): void {}
