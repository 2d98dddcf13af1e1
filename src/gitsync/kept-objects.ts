import { parseCommit } from './commit-object.ts'
import type { ObjectType } from './git-object.ts'
import { type EntriesOf, neededOf } from './needed-objects.ts'
import type { PackedObjects } from './packed-objects.ts'
import { parseTree, type TreeEntry } from './tree-object.ts'

/** What is kept of a pack, and what is needed besides, in the order of reading. */
export interface Kept {
  readonly ids: readonly string[]
  readonly missing: readonly string[]
  /** The trees that the commits need, whether they came or were here. */
  readonly trees: ReadonlyMap<string, readonly TreeEntry[]>
}

/** What is on this disk already. */
export interface OnDisk {
  has(id: string): boolean
  readonly entriesOf: EntriesOf
}

export type Keep = (objects: PackedObjects, onDisk: OnDisk) => Promise<Kept>

export const keepCommits: Keep = async (objects) => ({ ids: idsOf(objects, COMMITS_AND_TAGS), missing: [], trees: new Map() })

/**
 * Commits with their tags, and of each commit the trees and blobs of one folder that are not on disk: a server that filters
 * sends every tree again. @throws {MissingObject}
 */
export function keepFolder(folder: string): Keep {
  return async (objects, onDisk) => {
    const commits = idsOf(objects, ['commit'])
    const ids = new Set(idsOf(objects, COMMITS_AND_TAGS))
    const missing = new Set<string>()
    const trees = new Map<string, readonly TreeEntry[]>()
    const entriesOf: EntriesOf = async (id) => {
      const entries = trees.get(id) ?? (await onDisk.entriesOf(id)) ?? (await entriesIn(objects, id))
      if (entries) trees.set(id, entries)
      return entries
    }
    for (const commit of commits) {
      const { content } = await objects.readKnown(commit)
      const needed = await neededOf(parseCommit(content).tree, folder, entriesOf)
      for (const id of [...needed.trees, ...needed.blobs]) if (objects.has(id) && !onDisk.has(id)) ids.add(id)
      for (const id of needed.blobs) if (!objects.has(id) && !onDisk.has(id)) missing.add(id)
    }
    return { ids: [...ids], missing: [...missing], trees }
  }
}

const COMMITS_AND_TAGS: readonly ObjectType[] = ['commit', 'tag']

/** What is no tree has no entries: whoever reads the commit says so. */
async function entriesIn(objects: PackedObjects, id: string): Promise<readonly TreeEntry[] | undefined> {
  const object = await objects.read(id)
  return object && ((object.type === 'tree' && parseTree(object.content)) || [])
}

function idsOf(objects: PackedObjects, types: readonly ObjectType[]): string[] {
  return [...objects.ids()].filter((id) => types.some((type) => objects.typeOf(id) === type))
}
