import { parseCommit } from './commit-object.ts'
import type { ObjectType } from './git-object.ts'
import { type EntriesOf, neededOf } from './needed-objects.ts'
import type { PackedObjects } from './packed-objects.ts'
import { MAX_TAGS, taggedBy } from './revision.ts'
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

/** @param wanted the commit or tag that was asked for */
export type KeepOf = (wanted: string) => Keep

export const keepCommits: KeepOf = () => async (objects) => ({
  ids: idsOf(objects, COMMITS_AND_TAGS),
  missing: [],
  trees: new Map(),
})

/**
 * Commits with their tags, and of the wanted commit the trees and blobs of one folder that are not on disk: a server that filters
 * sends every tree again. Nothing of other commits: a pack may hold 200,000 of them. @throws {MissingObject}
 */
export function keepFolder(folder: string): KeepOf {
  return (wanted) => async (objects, onDisk) => {
    const ids = new Set(idsOf(objects, COMMITS_AND_TAGS))
    const missing = new Set<string>()
    const trees = new Map<string, readonly TreeEntry[]>()
    const entriesOf: EntriesOf = async (id) => {
      const entries = trees.get(id) ?? (await onDisk.entriesOf(id)) ?? (await entriesIn(objects, id))
      if (entries) trees.set(id, entries)
      return entries
    }
    const commit = await commitIn(objects, wanted)
    if (commit) {
      const needed = await neededOf(parseCommit(commit).tree, folder, entriesOf)
      for (const id of [...needed.trees, ...needed.blobs]) if (objects.has(id) && !onDisk.has(id)) ids.add(id)
      for (const id of needed.blobs) if (!objects.has(id) && !onDisk.has(id)) missing.add(id)
    }
    return { ids: [...ids], missing: [...missing], trees }
  }
}

const COMMITS_AND_TAGS: readonly ObjectType[] = ['commit', 'tag']

/** What a commit or a tag is of. @returns undefined when it is of no commit that came */
async function commitIn(objects: PackedObjects, wanted: string): Promise<Buffer | undefined> {
  let object = await objects.read(wanted)
  for (let left = MAX_TAGS; object?.type === 'tag' && left > 0; left--) {
    const of = taggedBy(object.content)
    object = of === undefined ? undefined : await objects.read(of)
  }
  return object?.type === 'commit' ? object.content : undefined
}

/** What is no tree has no entries: whoever reads the commit says so. */
async function entriesIn(objects: PackedObjects, id: string): Promise<readonly TreeEntry[] | undefined> {
  const object = await objects.read(id)
  return object && ((object.type === 'tree' && parseTree(object.content)) || [])
}

function idsOf(objects: PackedObjects, types: readonly ObjectType[]): string[] {
  return [...objects.ids()].filter((id) => types.some((type) => objects.typeOf(id) === type))
}
