import { createHash } from 'node:crypto'
import { constants, inflateSync } from 'node:zlib'
import { corruptPack, packTooLarge } from './explain-failure.ts'
import { typeNamed } from './git-object.ts'
import type { PackLimits } from './pack-limits.ts'
import { type DeltaType, deltaResultSize, type ObjectHeader, readObjectHeader } from './pack-object.ts'

const HEADER = 12
const TRAILER = 20
const COMMIT = 1
const OFS_DELTA: DeltaType = 6
const REF_DELTA: DeltaType = 7
/** Of a refused pack, as many of its commits are worth keeping: they come first, and one fetch of depth 1 has one. */
const MAX_COMMITS = 64
const MAX_COMMIT_BYTES = 65_536

/** An object of a pack, as it stands there. */
export interface ScannedObject extends Omit<ObjectHeader, 'end' | 'base'> {
  /** Where it begins in the pack. */
  readonly offset: number
  /** Where its compressed content is. */
  readonly at: number
  readonly length: number
  /** Of a delta: where its base begins in the pack, or the id of its base. */
  readonly base?: number | string
}

export type OnObject = (object: ScannedObject, content: Buffer) => void

/**
 * Checks a pack while it arrives: sizes that its objects declare, sizes that they have, their number, its checksum. Of each object no more is
 * inflated than it declares, and nothing is kept.
 */
export class PackScanner {
  readonly #onObject: OnObject
  readonly #limits: PackLimits
  readonly #sha = createHash('sha1')
  readonly #commits: Buffer[] = []
  #chunks: Buffer[] = []
  #held = 0
  /** Bytes that must be there before another try is worth it. */
  #tryAt = HEADER
  /** Objects still to come; undefined before the header. */
  #left: number | undefined
  #unpacked = 0
  /** Where in the pack begins what is held. */
  #offset = 0

  constructor(limits: PackLimits, onObject: OnObject = () => {}) {
    this.#limits = limits
    this.#onObject = onObject
  }

  /** The first commits that it met, without their headers. */
  get commits(): readonly Buffer[] {
    return this.#commits
  }

  /** @throws {GitSyncError} `PackTooLarge`, `CorruptPack` */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    if (this.#held >= this.#tryAt) this.#scan()
  }

  /** @throws {GitSyncError} `CorruptPack` when the pack is not whole */
  end(): void {
    this.#scan()
    const trailer = Buffer.concat(this.#chunks)
    if (this.#left !== 0 || trailer.length !== TRAILER) throw corruptPack('it ends too early')
    if (!this.#sha.digest().equals(trailer)) throw corruptPack('its checksum is another one')
  }

  #scan(): void {
    const data = Buffer.concat(this.#chunks)
    let at = this.#left === undefined ? this.#header(data) : 0
    while (this.#left !== undefined && this.#left > 0) {
      const next = this.#object(data, at)
      if (next === undefined) break
      at = next
      this.#left -= 1
    }
    this.#sha.update(data.subarray(0, at))
    const rest = data.subarray(at)
    this.#chunks = [rest]
    this.#held = rest.length
    this.#offset += at
    // An object that is not all there is tried again when twice as much of it is: no more work than twice.
    this.#tryAt = this.#left === 0 ? Number.POSITIVE_INFINITY : rest.length * 2
    if (this.#left === 0 && rest.length > TRAILER) throw corruptPack('it goes on after its end')
  }

  #header(data: Buffer): number {
    if (data.length < HEADER) return 0
    if (data.toString('latin1', 0, 4) !== 'PACK') throw corruptPack('it does not begin as a pack')
    const version = data.readUInt32BE(4)
    if (version !== 2 && version !== 3) throw corruptPack(`it has version ${version}, and only 2 and 3 are known`)
    this.#left = data.readUInt32BE(8)
    const { maxObjects } = this.#limits
    if (this.#left > maxObjects) throw packTooLarge(`it has ${this.#left} objects, more than ${maxObjects}`)
    return HEADER
  }

  /** @returns where the next object begins; undefined when this one is not all there */
  #object(data: Buffer, start: number): number | undefined {
    const header = readObjectHeader(data, start)
    if (header === undefined) return undefined
    if (!isKnownType(header.type)) throw corruptPack(`an object of it is of type ${header.type}, which Git does not have`)
    this.#check(header.size)
    const found = inflate(data.subarray(header.end), header.size)
    if (found === undefined) return undefined
    const { content, length } = found
    const isKept = header.type === COMMIT && header.size <= MAX_COMMIT_BYTES && this.#commits.length < MAX_COMMITS
    if (isKept) this.#commits.push(content)
    this.#count(header, content)
    this.#tell(header, { start, length }, content)
    return header.end + length
  }

  #tell(
    { type, size, end, base }: ObjectHeader,
    { start, length }: { readonly start: number; readonly length: number },
    content: Buffer,
  ) {
    const offset = this.#offset + start
    const from = typeof base === 'number' ? offset - base : base
    this.#onObject({ type, size, offset, at: this.#offset + end, length, ...(from !== undefined && { base: from }) }, content)
  }

  #count({ type, size }: ObjectHeader, content: Buffer): void {
    const result = type >= OFS_DELTA ? deltaResultSize(content) : size
    this.#check(result)
    this.#unpacked += result
    const { maxUnpackedBytes } = this.#limits
    if (this.#unpacked > maxUnpackedBytes) throw packTooLarge(`its objects unpack to more than ${maxUnpackedBytes} bytes`)
  }

  #check(size: number): void {
    const { maxObjectBytes } = this.#limits
    if (size > maxObjectBytes) throw packTooLarge(`an object of it unpacks to ${size} bytes, more than ${maxObjectBytes}`)
  }
}

function isKnownType(type: number): boolean {
  return typeNamed(type) !== undefined || type === OFS_DELTA || type === REF_DELTA
}

interface Inflated {
  readonly content: Buffer
  /** Of what it was inflated from. */
  readonly length: number
}

/** @returns undefined when more has to come. @throws {GitSyncError} */
function inflate(data: Buffer, size: number): Inflated | undefined {
  const chunkSize = Math.min(Math.max(64, size + 1), 256 * 1024)
  const limits = { maxOutputLength: Math.max(1, size), chunkSize, finishFlush: constants.Z_FINISH }
  try {
    // With `info` the answer is another than the types say.
    const found = inflateSync(data, { ...limits, info: true }) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    if (found.buffer.length !== size) throw corruptPack(`an object has ${found.buffer.length} bytes and declares ${size}`)
    return { content: found.buffer, length: found.engine.bytesWritten }
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ERR_BUFFER_TOO_LARGE') throw corruptPack(`an object has more bytes than the ${size} that it declares`)
    if (code !== 'Z_BUF_ERROR') throw code === undefined ? error : corruptPack(`an object cannot be inflated (${code})`)
    // What is compressed well is short; what is not, is little longer than its content.
    if (data.length > 2 * size + 65_536) throw corruptPack(`an object of ${size} bytes has no end`)
    return undefined
  }
}
