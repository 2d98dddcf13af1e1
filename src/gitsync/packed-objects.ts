import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { applyDelta } from './apply-delta.ts'
import { corruptPack, packTooLarge } from './explain-failure.ts'
import type { PackLimits } from './pack-limits.ts'
import type { ScannedObject } from './pack-scanner.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  readonly content: Buffer
}

const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
/** Bytes of bases that are kept while the deltas on them are applied. */
const MAX_CACHED = 24 * 1024 * 1024
/** What an object costs besides its bytes. */
const OVERHEAD = 100
/** Times the bytes of a pack that applying its deltas may move: bases that are not in the cache are made again. */
const MAX_EFFORT = 8

/** The objects of a pack that lies on disk, by id. Memory grows with their number, not with their size. */
export class PackedObjects {
  readonly #file: FileHandle
  readonly #limits: PackLimits
  readonly #byId = new Map<string, ScannedObject>()
  readonly #byOffset = new Map<number, ScannedObject>()
  readonly #waiting = new Map<string, ScannedObject[]>()
  readonly #deltas: ScannedObject[] = []
  readonly #cache = new Map<number, GitObject>()
  #cached = 0
  #effort = 0

  constructor(file: FileHandle, limits: PackLimits) {
    this.#file = file
    this.#limits = limits
  }

  /** In the order of the pack. */
  add(object: ScannedObject, content: Buffer): void {
    const type = TYPES[object.type]
    this.#byOffset.set(object.offset, object)
    if (type) this.#byId.set(idOf({ type, content }), object)
    else this.#deltas.push(object)
  }

  /** Finds the ids of all deltas; nothing is found by id before. @throws {GitSyncError} `CorruptPack`, `PackTooLarge` */
  async resolve(): Promise<void> {
    const ready = [...this.#deltas]
    for (const delta of ready) {
      const { base } = delta
      if (typeof base === 'string' && !this.#byId.has(base)) {
        this.#waiting.set(base, [...(this.#waiting.get(base) ?? []), delta])
        continue
      }
      const id = idOf(await this.#read(delta))
      this.#byId.set(id, delta)
      ready.push(...(this.#waiting.get(id) ?? []))
      this.#waiting.delete(id)
    }
    if (this.#waiting.size > 0) throw corruptPack('a delta is of an object that is not in it')
  }

  ids(): Iterable<string> {
    return this.#byId.keys()
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  async read(id: string): Promise<GitObject | undefined> {
    const object = this.#byId.get(id)
    return object && this.#read(object)
  }

  /** @throws {GitSyncError} `CorruptPack` when it is not there */
  async readKnown(id: string): Promise<GitObject> {
    const object = await this.read(id)
    if (!object) throw corruptPack(`object "${id}" is not in it`)
    return object
  }

  /** Its type, which every object shares with what it is a delta of. */
  typeOf(id: string): ObjectType | undefined {
    const seen = new Set<ScannedObject>()
    for (let object = this.#byId.get(id); object && !seen.has(object); object = this.#baseOf(object)) {
      if (TYPES[object.type]) return TYPES[object.type]
      seen.add(object)
    }
    return undefined
  }

  async #read(wanted: ScannedObject): Promise<GitObject> {
    const deltas: ScannedObject[] = []
    let at = wanted
    while (!TYPES[at.type] && !this.#cache.has(at.offset)) {
      deltas.push(at)
      const base = this.#baseOf(at)
      if (!base || deltas.length > this.#byOffset.size) throw corruptPack('a delta is of an object that is not in it')
      at = base
    }
    let found = this.#cache.get(at.offset) ?? { type: TYPES[at.type] ?? 'blob', content: await this.#inflate(at) }
    for (const delta of deltas.reverse()) {
      this.#keep(at.offset, found)
      found = { type: found.type, content: applyDelta(found.content, await this.#inflate(delta)) }
      this.#spend(found.content.length)
      at = delta
    }
    return found
  }

  #baseOf({ base }: ScannedObject): ScannedObject | undefined {
    return typeof base === 'string' ? this.#byId.get(base) : this.#byOffset.get(base ?? -1)
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

  /** The oldest go first. */
  #keep(offset: number, object: GitObject): void {
    if (this.#cache.has(offset)) return
    this.#cache.set(offset, object)
    this.#cached += object.content.length + OVERHEAD
    for (const [oldest, { content }] of this.#cache) {
      if (this.#cached <= MAX_CACHED) break
      this.#cache.delete(oldest)
      this.#cached -= content.length + OVERHEAD
    }
  }
}

export function idOf({ type, content }: GitObject): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}
