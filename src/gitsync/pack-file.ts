import type { FileHandle } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { applyDelta } from './apply-delta.ts'
import { BaseCache } from './base-cache.ts'
import { corruptPack } from './explain-failure.ts'
import { type GitObject, typeNamed } from './git-object.ts'
import type { PackIndex } from './pack-index.ts'
import { type ObjectHeader, readObjectHeader } from './pack-object.ts'

/** Bytes that are read at once: objects of one folder are often side by side. */
const WINDOW = 64 * 1024
/** The longest header of an object, with the id of a base. */
const MAX_HEADER = 40
/** Git itself makes chains of 50 deltas, and 250 when asked for more. */
const MAX_DELTAS = 4096

/** A pack on this disk, of which objects are read one by one. */
export class PackFile {
  readonly #file: FileHandle
  readonly #size: number
  readonly #index: PackIndex
  readonly #bases = new BaseCache()
  #window = Buffer.alloc(0)
  #start = 0

  /** @param size bytes of the file */
  constructor(file: FileHandle, size: number, index: PackIndex) {
    this.#file = file
    this.#size = size
    this.#index = index
  }

  /** @returns undefined when it is not in this pack. @throws {GitSyncError} `CorruptPack` */
  async read(id: string): Promise<GitObject | undefined> {
    const offset = this.#index.offsetOf(id)
    return offset === undefined ? undefined : this.#readAt(offset)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #readAt(offset: number): Promise<GitObject> {
    const deltas: { readonly at: number; readonly content: Buffer }[] = []
    let at = offset
    let found = this.#bases.get(at)
    while (found === undefined) {
      const { header, content } = await this.#inflate(at)
      const type = typeNamed(header.type)
      if (type) found = { type, content }
      else {
        deltas.push({ at, content })
        if (deltas.length > MAX_DELTAS) throw corruptPack('its deltas have no end')
        at = this.#baseOf(header, at)
        found = this.#bases.get(at)
      }
    }
    for (const delta of deltas.reverse()) {
      this.#bases.set(at, found)
      found = { type: found.type, content: applyDelta(found.content, delta.content) }
      at = delta.at
    }
    return found
  }

  #baseOf({ base }: ObjectHeader, at: number): number {
    const offset = typeof base === 'string' ? this.#index.offsetOf(base) : at - (base ?? 0)
    if (offset === undefined || offset <= 0) throw corruptPack('a delta is of an object that is not in it')
    return offset
  }

  async #inflate(at: number): Promise<{ readonly header: ObjectHeader; readonly content: Buffer }> {
    const header = readObjectHeader(await this.#bytes(at, MAX_HEADER), 0)
    if (header === undefined) throw corruptPack('an object has no end')
    const start = at + header.end
    // What compresses at all is shorter than this; what Git has stored otherwise is read once more.
    const content = inflated(await this.#bytes(start, header.size + 64), header.size)
    return { header, content: content ?? whole(inflated(await this.#bytes(start, 2 * header.size + WINDOW), header.size)) }
  }

  /** @returns fewer at the end of the file */
  async #bytes(at: number, wanted: number): Promise<Buffer> {
    const length = Math.min(wanted, this.#size - at)
    if (length <= 0) return Buffer.alloc(0)
    const isHeld = at >= this.#start && at + length <= this.#start + this.#window.length
    if (!isHeld) {
      const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(Math.max(length, WINDOW)), 0, undefined, at)
      this.#window = buffer.subarray(0, bytesRead)
      this.#start = at
    }
    return this.#window.subarray(at - this.#start, at - this.#start + length)
  }
}

/** @returns undefined when the content does not end in it; what is behind its end is left alone */
function inflated(compressed: Buffer, size: number): Buffer | undefined {
  const chunkSize = Math.min(Math.max(64, size + 1), 256 * 1024)
  try {
    const content = inflateSync(compressed, { maxOutputLength: Math.max(1, size), chunkSize })
    if (content.length === size) return content
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'Z_BUF_ERROR') return undefined
    throw corruptPack(`an object of ${size} bytes cannot be inflated (${code ?? error})`)
  }
  throw corruptPack(`an object has fewer bytes than the ${size} that it declares`)
}

function whole(content: Buffer | undefined): Buffer {
  if (content === undefined) throw corruptPack('an object has no end')
  return content
}
