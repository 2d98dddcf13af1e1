import type { FileHandle } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { applyDelta } from './apply-delta.ts'
import { BaseCache, OVERHEAD } from './base-cache.ts'
import { corruptPack, packTooLarge } from './explain-failure.ts'
import { type GitObject, idOf, type ObjectType, typeNamed } from './git-object.ts'
import type { PackLimits } from './pack-limits.ts'
import type { ScannedObject } from './pack-scanner.ts'

/** Times the bytes of a pack that applying its deltas may move: bases that are not in the cache are made again. */
const MAX_EFFORT = 8

interface FoundObject {
  /** Kept: to walk to the end of a chain of deltas for each of them would cost the square of its length. */
  readonly type: ObjectType
  readonly object: ScannedObject
}

/** The objects of a pack that lies on disk, by id. Memory grows with their number, not with their size. */
export class PackedObjects {
  readonly #file: FileHandle
  readonly #limits: PackLimits
  readonly #byId = new Map<string, FoundObject>()
  readonly #byOffset = new Map<number, ScannedObject>()
  /** Deltas by what they are of: where it begins, or its id. */
  readonly #waiting = new Map<number | string, ScannedObject[]>()
  /** What deltas may be of. */
  readonly #bases: { readonly id: string; readonly offset: number }[] = []
  readonly #cache = new BaseCache()
  #effort = 0

  constructor(file: FileHandle, limits: PackLimits) {
    this.#file = file
    this.#limits = limits
  }

  /** In the order of the pack. */
  add(object: ScannedObject, content: Buffer): void {
    const type = typeNamed(object.type)
    this.#byOffset.set(object.offset, object)
    if (type) this.#found({ type, content }, object)
    else this.#wait(object)
  }

  /** Finds the ids of all deltas; nothing is found by id before. @throws {GitSyncError} `CorruptPack`, `PackTooLarge` */
  async resolve(): Promise<void> {
    // The last one first: what it is a delta of is still in the cache.
    for (let next = this.#bases.pop(); next; next = this.#bases.pop())
      for (const delta of this.#deltasOn(next)) this.#found(await this.#read(delta), delta)
    if (this.#waiting.size > 0) throw corruptPack('a delta is of an object that is not in it')
  }

  ids(): Iterable<string> {
    return this.#byId.keys()
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  async read(id: string): Promise<GitObject | undefined> {
    const found = this.#byId.get(id)
    return found && this.#read(found.object)
  }

  /** @throws {GitSyncError} `CorruptPack` when it is not there */
  async readKnown(id: string): Promise<GitObject> {
    const object = await this.read(id)
    if (!object) throw corruptPack(`object "${id}" is not in it`)
    return object
  }

  typeOf(id: string): ObjectType | undefined {
    return this.#byId.get(id)?.type
  }

  /** What comes twice is what came first: a delta could be of itself otherwise. */
  #found(made: GitObject, object: ScannedObject): void {
    const id = idOf(made)
    if (!this.#byId.has(id)) this.#byId.set(id, { type: made.type, object })
    this.#bases.push({ id, offset: object.offset })
  }

  #wait(delta: ScannedObject): void {
    const { base = -1 } = delta
    const others = this.#waiting.get(base)
    if (others) others.push(delta)
    else this.#waiting.set(base, [delta])
  }

  #deltasOn({ id, offset }: { readonly id: string; readonly offset: number }): readonly ScannedObject[] {
    const deltas = [...(this.#waiting.get(id) ?? []), ...(this.#waiting.get(offset) ?? [])]
    this.#waiting.delete(id)
    this.#waiting.delete(offset)
    return deltas
  }

  async #read(wanted: ScannedObject): Promise<GitObject> {
    const deltas: ScannedObject[] = []
    let at = wanted
    while (!typeNamed(at.type) && !this.#cache.has(at.offset)) {
      deltas.push(at)
      const base = this.#baseOf(at)
      if (!base || deltas.length > this.#byOffset.size) throw corruptPack('a delta is of an object that is not in it')
      at = base
    }
    let found = this.#cache.get(at.offset) ?? { type: typeNamed(at.type) ?? 'blob', content: await this.#inflate(at) }
    for (const delta of deltas.reverse()) {
      this.#cache.set(at.offset, found)
      found = { type: found.type, content: applyDelta(found.content, await this.#inflate(delta)) }
      this.#spend(found.content.length)
      at = delta
    }
    return found
  }

  #baseOf({ base }: ScannedObject): ScannedObject | undefined {
    return typeof base === 'string' ? this.#byId.get(base)?.object : this.#byOffset.get(base ?? -1)
  }

  async #inflate({ at, length, size }: ScannedObject): Promise<Buffer> {
    this.#spend(size)
    const compressed = Buffer.alloc(length)
    await this.#file.read(compressed, 0, length, at)
    return inflateSync(compressed, {
      maxOutputLength: Math.max(1, size),
      chunkSize: Math.min(Math.max(64, size + 1), 256 * 1024),
    })
  }

  #spend(bytes: number): void {
    this.#effort += bytes + OVERHEAD
    const { maxUnpackedBytes, maxObjects } = this.#limits
    if (this.#effort > MAX_EFFORT * (maxUnpackedBytes + OVERHEAD * maxObjects))
      throw packTooLarge('its deltas cost too much work')
  }
}
