const MAGIC = Buffer.from('ff744f6300000002', 'hex')
const FANOUT = MAGIC.length
const IDS = FANOUT + 256 * 4
const ID = 20
/** Set in an offset that does not fit into 31 bits: the rest says where the 64 bits are. */
const IS_LARGE = 0x80000000

/** The index of a pack, version 2: where in the pack an object begins. */
export class PackIndex {
  readonly #bytes: Buffer
  readonly #count: number

  private constructor(bytes: Buffer, count: number) {
    this.#bytes = bytes
    this.#count = count
  }

  /** @returns undefined for another version, and for a file that is cut off */
  static of(bytes: Buffer): PackIndex | undefined {
    if (bytes.length < IDS || bytes.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0) return undefined
    const count = bytes.readUInt32BE(IDS - 4)
    return bytes.length < IDS + count * (ID + 8) + 2 * ID ? undefined : new PackIndex(bytes, count)
  }

  offsetOf(id: string): number | undefined {
    const at = this.#find(Buffer.from(id, 'hex'))
    if (at === undefined) return undefined
    const offsets = IDS + this.#count * (ID + 4)
    const offset = this.#bytes.readUInt32BE(offsets + at * 4)
    if (offset < IS_LARGE) return offset
    const large = offsets + this.#count * 4 + (offset - IS_LARGE) * 8
    return large + 8 > this.#bytes.length ? undefined : Number(this.#bytes.readBigUInt64BE(large))
  }

  #find(id: Buffer): number | undefined {
    const first = id[0] ?? 0
    let low = first === 0 ? 0 : this.#upTo(first - 1)
    let high = Math.min(this.#upTo(first), this.#count)
    while (low < high) {
      const middle = (low + high) >>> 1
      const start = IDS + middle * ID
      const order = this.#bytes.compare(id, 0, ID, start, start + ID)
      if (order === 0) return middle
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  /** How many ids begin with this byte, or with a lower one. */
  #upTo(byte: number): number {
    return this.#bytes.readUInt32BE(FANOUT + byte * 4)
  }
}
