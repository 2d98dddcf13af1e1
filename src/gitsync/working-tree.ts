import { constants } from 'node:fs'
import { open, readdir, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { byText } from '../protocol/by-text.ts'
import { MAX_FILE_BYTES, MAX_TREE_BYTES, type RepoFile } from '../protocol/repo-snapshot.ts'
import { BadTreeError, GitSyncError } from './git-sync-error.ts'
import { MAX_ENTRIES } from './tree-object.ts'

/**
 * The files of a folder as they are on disk, committed or not; `.git` left out. Symlinks are reported and never followed.
 * @throws {BadTreeError}, or {GitSyncError} `Unreadable` when the path is no folder
 */
export async function readWorkingTree(path: string): Promise<ReadonlyMap<string, RepoFile>> {
  const root = await realpath(path).catch((cause) => {
    throw new GitSyncError(`failed to read folder "${path}": ${cause.code}`, { reason: 'Unreadable', cause })
  })
  const files = new Map<string, RepoFile>()
  let entries = 0
  let bytes = 0
  for await (const { name, read } of walk(root, '')) {
    if (++entries > MAX_ENTRIES)
      throw new BadTreeError(`refuse folder "${path}": it has more than ${MAX_ENTRIES} entries; name the folder of the fleet`, {
        reason: 'TooManyFiles',
      })
    const file = await read?.()
    if (!file) continue
    if (file.kind === 'file') bytes += file.bytes.length
    files.set(name, file.kind === 'file' && bytes > MAX_TREE_BYTES ? { kind: 'tooLarge', size: file.bytes.length } : file)
  }
  return files
}

interface Entry {
  /** Relative to the root, with `/`. */
  readonly name: string
  /** Missing for what is neither file nor symlink. */
  readonly read?: () => Promise<RepoFile>
}

async function* walk(root: string, prefix: string): AsyncGenerator<Entry> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true }).catch((cause) => {
    throw new GitSyncError(`failed to read folder "${join(root, prefix)}": ${cause.code}`, { reason: 'Unreadable', cause })
  })
  for (const entry of entries.sort(byText(({ name }) => name))) {
    const name = prefix + entry.name
    const path = join(root, name)
    if (entry.name === '.git') continue
    if (entry.isSymbolicLink()) yield { name, read: async () => ({ kind: 'symlink', target: await readlink(path) }) }
    else if (entry.isFile()) yield { name, read: () => readFile(path) }
    else yield { name }
    if (entry.isDirectory()) yield* walk(root, `${name}/`)
  }
}

async function readFile(path: string): Promise<RepoFile> {
  // Swapped for a symlink or a pipe since it was listed, it is neither followed nor waited for.
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const { size } = await file.stat()
  return size > MAX_FILE_BYTES ? { kind: 'tooLarge', size } : { kind: 'file', bytes: await file.readFile() }
}
