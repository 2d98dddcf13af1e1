import type { Stats } from 'node:fs'
import { link, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { WriteOptions } from '../ports.ts'
import { installCopy, makeParents, syncDirectory, temporaryOf } from './durable-writes.ts'

/** Another file system, one without links, too many of them, or a file that is not ours to link. */
const NO_LINK = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/** A second name for a file, which it keeps when another is renamed over the first; else a copy. */
export async function keepLinked(source: string, target: string): Promise<void> {
  await makeParents(dirname(target))
  await rm(target, { force: true })
  if (!(await tryLink(source, target))) return installCopy(source, target, { mode: 0o600 })
  await syncContent(target)
  await syncDirectory(dirname(target))
}

/** The very file that was kept, labels and all; a copy of it when only a copy was kept, or cannot be anything else. */
export async function restoreLinked(source: string, target: string, options: Required<WriteOptions>): Promise<void> {
  await makeParents(dirname(target))
  // A link shares mode and owner with what was kept: changing them would change both.
  const isSame = hasOwnership(await lstat(source), options)
  const temporary = temporaryOf(target)
  await rm(temporary, { force: true })
  if (!isSame || !(await tryLink(source, temporary))) return installCopy(source, target, options)
  await syncContent(temporary)
  await rename(temporary, target)
  // Two names of one file: then a rename does nothing, and leaves both.
  await rm(temporary, { force: true })
  await syncDirectory(dirname(target))
}

async function tryLink(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target)
    return true
  } catch (error) {
    if (NO_LINK.includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** Not opened for writing: that is refused for a program that runs. */
async function syncContent(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function hasOwnership(stats: Stats, { mode, uid, gid }: Required<WriteOptions>): boolean {
  return (stats.mode & 0o7777) === mode && stats.uid === uid && stats.gid === gid
}
