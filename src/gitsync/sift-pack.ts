import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Keep, Kept, OnDisk } from './kept-objects.ts'
import type { PackSink } from './pack-guard.ts'
import type { PackLimits } from './pack-limits.ts'
import { PackedObjects } from './packed-objects.ts'
import { writeLoose } from './write-loose.ts'
import { writePack } from './write-pack.ts'

export interface SiftOptions {
  readonly gitdir: string
  readonly limits: PackLimits
  readonly keep: Keep
  readonly onDisk: OnDisk
}

export interface SiftedPack extends PackSink, AsyncDisposable {
  /** Nothing, when no pack came. */
  readonly kept: () => Kept
}

/** Objects that are found faster as files of their own than in a pack. */
const FEW = 100

/** Writes a pack to disk as it comes, keeps of it the objects that are needed, and throws the rest away. */
export async function siftPack({ gitdir, limits, keep, onDisk }: SiftOptions): Promise<SiftedPack> {
  await mkdir(join(gitdir, 'objects', 'pack'), { recursive: true })
  const path = join(gitdir, 'incoming')
  const file = await open(path, 'w+')
  const objects = new PackedObjects(file, limits)
  let kept: Kept = { ids: [], missing: [], trees: new Map() }
  return {
    object: (object, content) => objects.add(object, content),
    write: (bytes) => file.writeFile(bytes),
    async end() {
      await objects.resolve()
      kept = await keep(objects, onDisk)
      const write = kept.ids.length > FEW ? writePack : writeLoose
      await write(gitdir, kept.ids, (id) => objects.readKnown(id))
    },
    kept: () => kept,
    async [Symbol.asyncDispose]() {
      await file.close()
      await rm(path, { force: true })
    },
  }
}
