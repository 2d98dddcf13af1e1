/** Takes bytes off a stream in the portions that its reader asks for, and holds no more of it than one chunk. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** @returns fewer bytes only where the stream ends */
  async take(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for await (const part of this.pieces(count)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** @yields the next `count` bytes; fewer only where the stream ends */
  async *pieces(count: number): AsyncGenerator<Uint8Array> {
    let left = count
    while (left > 0 && (await this.#fill())) {
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  /** @returns how many bytes were passed over */
  async skip(count: number): Promise<number> {
    let passed = 0
    for await (const piece of this.pieces(count)) passed += piece.length
    return passed
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next()
      if (next.done) return false
      this.#rest = next.value
    }
    return true
  }
}
