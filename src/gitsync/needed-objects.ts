import { MAX_ENTRIES, type TreeEntry } from './tree-object.ts'

/** What a commit needs for one folder: trees on the way to it, and trees and blobs in it. */
export interface Needed {
  readonly trees: readonly string[]
  /** In the order of reading, and no more than anybody reads. */
  readonly blobs: readonly string[]
}

/** The entries of a tree; undefined when it is not there. */
export type EntriesOf = (id: string) => Promise<readonly TreeEntry[] | undefined>

/** @throws {MissingObject} */
export async function neededOf(root: string, folder: string, entriesOf: EntriesOf): Promise<Needed> {
  const trees = new Set<string>()
  const blobs = new Set<string>()
  const open = async (id: string): Promise<readonly TreeEntry[]> => {
    const entries = await entriesOf(id)
    if (!entries) throw new MissingObject(`tree "${id}" is not in it`)
    trees.add(id)
    return entries
  }
  let opened = 0
  const visit = async (id: string): Promise<void> => {
    const entries = await open(id)
    opened += entries.length
    for (const entry of entries) {
      // Also when what was entered in between has too many: nobody reads the rest.
      if (opened > MAX_ENTRIES) return
      if (entry.kind === 'tree' && !trees.has(entry.id)) await visit(entry.id)
      else if (entry.kind === 'file' || entry.kind === 'symlink') blobs.add(entry.id)
    }
  }
  let top: string | undefined = root
  for (const name of folder.split('/').filter(Boolean)) {
    const entries: readonly TreeEntry[] = top === undefined ? [] : await open(top)
    top = entries.find((entry) => entry.name === name && entry.kind === 'tree')?.id
  }
  if (top !== undefined) await visit(top)
  return { trees: [...trees], blobs: [...blobs] }
}

/** An object that the server left out, and that is not on this disk. */
export class MissingObject extends Error {
  override readonly name = 'MissingObject'
}
