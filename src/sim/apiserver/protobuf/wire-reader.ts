/** Bytes that are no protobuf, or not of the message that they should be; worded as Kubernetes' decoder does. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

/** How a value is written: the last three bits of a tag. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const

export interface Tag {
  readonly number: number
  readonly wire: number
}

/** Of seven bits each: 64 bits. */
const VARINT_BYTES = 10

/** Reads one message of protobuf from front to back. Every method throws a WireError where the bytes end too early. */
export class WireReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  tag(): Tag {
    const value = this.varint()
    return { number: Number(BigInt.asIntN(32, value >> 3n)), wire: Number(value & 7n) }
  }

  /** Up to 64 bits, without a sign. */
  varint(): bigint {
    let value = 0n
    for (let index = 0; index < VARINT_BYTES; index += 1) {
      const byte = this.#take(1)[0] ?? 0
      value |= BigInt(byte & 0x7f) << BigInt(7 * index)
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new WireError('proto: integer overflow')
  }

  bytes(): Buffer {
    const length = BigInt.asIntN(64, this.varint())
    if (length < 0n) throw new WireError('proto: negative length found during unmarshaling')
    return this.#take(Number(length))
  }

  /** Passes the value of an unknown field. Groups are counted, not descended into: bytes may nest them without end. */
  skip(wire: number): void {
    let depth = this.#skipOne(wire)
    while (depth > 0) depth += this.#skipOne(this.tag().wire)
    if (depth < 0) throw new WireError('proto: unexpected end of group')
  }

  /** @returns by how much the nesting of groups grew */
  #skipOne(wire: number): number {
    if (wire === WIRE.groupStart) return 1
    if (wire === WIRE.groupEnd) return -1
    if (wire === WIRE.varint) this.varint()
    else if (wire === WIRE.fixed64) this.#take(8)
    else if (wire === WIRE.bytes) this.bytes()
    else if (wire === WIRE.fixed32) this.#take(4)
    else throw new WireError(`proto: illegal wireType ${wire}`)
    return 0
  }

  #take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new WireError('unexpected EOF')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
