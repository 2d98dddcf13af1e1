/** Reads the fields of SSH's binary formats, each a length and so many bytes. */
export class SshReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** @throws {RangeError} behind the end, as the other readers */
  uint32(): number {
    const value = this.#bytes.readUInt32BE(this.#at)
    this.#at += 4
    return value
  }

  byte(): number {
    return this.bytes(1).readUInt8()
  }

  string(): Buffer {
    return this.bytes(this.uint32())
  }

  text(): string {
    return this.string().toString('latin1')
  }

  bytes(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError('a field is longer than what holds it')
    const value = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return value
  }

  /** A number without the zero that says that it is positive. */
  number(): Buffer {
    const value = this.string()
    const first = value.findIndex((byte) => byte !== 0)
    return first === -1 ? Buffer.alloc(0) : value.subarray(first)
  }
}

export function sshString(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
