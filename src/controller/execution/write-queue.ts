/** Requests at a time, of all pools. Fewer than the sockets of the client, so that the Lease never waits behind them. */
const AT_ONCE = 40
/** Of one pool: where every write of a pool is slow, the others still have room. */
const AT_ONCE_OF_A_POOL = 16

export interface QueuedWrite {
  readonly pool: string
  /** Before the others of its pool. */
  readonly first?: boolean
  /** Never rejects. */
  readonly send: () => Promise<void>
  /** Called when it is taken back. */
  readonly recalled: () => void
}

interface Line {
  readonly first: QueuedWrite[]
  readonly others: QueuedWrite[]
  sending: number
}

/** Sends the writes of all pools side by side, in turn, so many at a time. */
export class WriteQueue {
  readonly #lines = new Map<string, Line>()
  #sending = 0
  #idle = Promise.withResolvers<void>()

  push(write: QueuedWrite): void {
    const line = this.#lines.get(write.pool) ?? { first: [], others: [], sending: 0 }
    this.#lines.set(write.pool, line)
    if (write.first === true) line.first.push(write)
    else line.others.push(write)
    this.#fill()
  }

  /** Takes back what was not sent yet. */
  recall(): void {
    for (const [pool, line] of this.#lines) {
      for (const { recalled } of [...line.first.splice(0), ...line.others.splice(0)]) recalled()
      if (line.sending === 0) this.#lines.delete(pool)
    }
  }

  /** Something of the pool was not sent yet. */
  isWaiting(pool: string): boolean {
    const line = this.#lines.get(pool)
    return line !== undefined && line.first.length + line.others.length > 0
  }

  /** Forgets what was not sent yet. Resolves when what was sent has ended. */
  async end(): Promise<void> {
    this.recall()
    if (this.#sending > 0) await this.#idle.promise
  }

  #fill(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) void this.#send(next)
  }

  async #send(write: QueuedWrite): Promise<void> {
    this.#count(write.pool, 1)
    try {
      await write.send()
    } finally {
      this.#count(write.pool, -1)
      this.#fill()
    }
  }

  #count(pool: string, change: 1 | -1): void {
    this.#sending += change
    const line = this.#lines.get(pool)
    if (line) line.sending += change
    if (line && line.sending + line.first.length + line.others.length === 0) this.#lines.delete(pool)
    if (this.#sending > 0) return
    this.#idle.resolve()
    this.#idle = Promise.withResolvers()
  }

  #toTheEnd(pool: string, line: Line): void {
    this.#lines.delete(pool)
    this.#lines.set(pool, line)
  }

  /** A pool that was served goes to the end of the line. */
  #next(): QueuedWrite | undefined {
    if (this.#sending >= AT_ONCE) return undefined
    for (const [pool, line] of this.#lines) {
      if (line.sending >= AT_ONCE_OF_A_POOL) continue
      const write = line.first.shift() ?? line.others.shift()
      if (write === undefined) continue
      if (this.#lines.size > 1) this.#toTheEnd(pool, line)
      return write
    }
    return undefined
  }
}
