import { parseCommit } from './commit-object.ts'
import { neededOf } from './needed-objects.ts'
import type { ObjectType, PackedObjects } from './packed-objects.ts'

/** What is kept of a pack, and what is needed besides, in the order of reading. */
export interface Kept {
  readonly ids: readonly string[]
  readonly missing: readonly string[]
}

/** What is on this disk already. */
export interface OnDisk {
  has(id: string): boolean
  readTree(id: string): Promise<Buffer | undefined>
}

export type Keep = (objects: PackedObjects, onDisk: OnDisk) => Promise<Kept>

export const keepCommits: Keep = async (objects) => ({ ids: idsOf(objects, COMMITS_AND_TAGS), missing: [] })

/** Commits with their tags, and of each commit the trees and blobs of one folder. @throws {MissingObject} */
export function keepFolder(folder: string): Keep {
  return async (objects, onDisk) => {
    const commits = idsOf(objects, ['commit'])
    const ids = new Set(idsOf(objects, COMMITS_AND_TAGS))
    const missing = new Set<string>()
    const readTree = async (id: string) => (await objects.read(id))?.content ?? onDisk.readTree(id)
    for (const commit of commits) {
      const { content } = (await objects.read(commit)) ?? { content: Buffer.alloc(0) }
      const { trees, blobs } = await neededOf(parseCommit(content).tree, folder, readTree)
      for (const id of [...trees, ...blobs]) if (objects.has(id)) ids.add(id)
      for (const id of blobs) if (!objects.has(id) && !onDisk.has(id)) missing.add(id)
    }
    return { ids: [...ids], missing: [...missing] }
  }
}

const COMMITS_AND_TAGS: readonly ObjectType[] = ['commit', 'tag']

function idsOf(objects: PackedObjects, types: readonly ObjectType[]): string[] {
  return [...objects.ids()].filter((id) => types.some((type) => objects.typeOf(id) === type))
}
