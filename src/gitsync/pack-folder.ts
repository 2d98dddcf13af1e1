import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { corruptPack } from './explain-failure.ts'
import { type GitObject, idOf } from './git-object.ts'
import { PackFile } from './pack-file.ts'
import { PackIndex } from './pack-index.ts'

/**
 * The packs of a repository on this disk, for reading many objects: isomorphic-git asks the disk four times for each of them, and inflates
 * in JavaScript. What is not found here, as loose objects are not, is for isomorphic-git to find.
 */
export class PackFolder implements AsyncDisposable {
  readonly #folder: string
  #packs: Promise<readonly PackFile[]> | undefined

  constructor(gitdir: string) {
    this.#folder = join(gitdir, 'objects', 'pack')
  }

  /** @throws {GitSyncError} `CorruptPack` when it is not what its id says */
  async read(id: string): Promise<GitObject | undefined> {
    this.#packs ??= openPacks(this.#folder)
    for (const pack of await this.#packs) {
      const found = await pack.read(id)
      if (found && idOf(found) !== id) throw corruptPack(`object "${id}" has another content`)
      if (found) return found
    }
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pack of (await this.#packs) ?? []) await pack.close()
  }
}

async function openPacks(folder: string): Promise<readonly PackFile[]> {
  const names = await readdir(folder).catch(() => [])
  const packs: PackFile[] = []
  for (const name of names.filter((each) => each.endsWith('.idx'))) {
    const pack = await openPack(join(folder, name))
    if (pack) packs.push(pack)
  }
  return packs
}

/** @returns undefined for one that Git has just replaced by another, or whose index is of another version */
async function openPack(path: string): Promise<PackFile | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  const index = bytes && PackIndex.of(bytes)
  const file = index && (await open(path.replace(/\.idx$/, '.pack')).catch(() => undefined))
  return file && new PackFile(file, (await file.stat()).size, index)
}
