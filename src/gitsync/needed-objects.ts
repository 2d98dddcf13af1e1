import { MAX_ENTRIES } from './read-snapshot.ts'

/** The entries of a tree, as far as they say what is needed. */
interface Entry {
  readonly mode: string
  readonly name: string
  readonly id: string
}

const FOLDER = '40000'
const SUBMODULE = '160000'
const ID = 20

/** What a commit needs for one folder: trees on the way to it, and trees and blobs in it. */
export interface Needed {
  readonly trees: readonly string[]
  /** In the order of reading, and no more than anybody reads. */
  readonly blobs: readonly string[]
}

/** @param readTree undefined when the tree is not there. @throws {MissingObject} */
export async function neededOf(
  root: string,
  folder: string,
  readTree: (id: string) => Promise<Buffer | undefined>,
): Promise<Needed> {
  const trees = new Set<string>()
  const blobs = new Set<string>()
  const entriesOf = async (id: string): Promise<readonly Entry[]> => {
    const content = await readTree(id)
    if (!content) throw new MissingObject(`tree "${id}" is not in it`)
    trees.add(id)
    return parseTree(content)
  }
  const visit = async (id: string): Promise<void> => {
    for (const entry of await entriesOf(id)) {
      if (trees.size + blobs.size > MAX_ENTRIES) return
      if (entry.mode === FOLDER && !trees.has(entry.id)) await visit(entry.id)
      else if (entry.mode !== FOLDER && entry.mode !== SUBMODULE) blobs.add(entry.id)
    }
  }
  let top: string | undefined = root
  for (const name of folder.split('/').filter(Boolean)) {
    const entries: readonly Entry[] = top === undefined ? [] : await entriesOf(top)
    top = entries.find((entry) => entry.name === name && entry.mode === FOLDER)?.id
  }
  if (top !== undefined) await visit(top)
  return { trees: [...trees], blobs: [...blobs] }
}

/** An object that the server left out, and that is not on this disk. */
export class MissingObject extends Error {
  override readonly name = 'MissingObject'
}

function parseTree(content: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at)
    const end = content.indexOf(0, space)
    if (space === -1 || end === -1) break
    const mode = content.toString('latin1', at, space).replace(/^0+/, '')
    entries.push({ mode, name: content.toString('utf8', space + 1, end), id: content.toString('hex', end + 1, end + 1 + ID) })
    at = end + 1 + ID
  }
  return entries
}
