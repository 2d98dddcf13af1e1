import type { Stats } from 'node:fs'
import { link, lstat, rename, unlink } from '../../kube/file-calls.ts'
import type { WriteOptions } from '../ports.ts'
import { installCopy, syncDirectory } from './durable-writes.ts'
import type { Place } from './host-tree.ts'
import { openRegular } from './open-regular.ts'
import { orMissing } from './or-missing.ts'
import { throughTemporary } from './temporary-names.ts'

/** Another file system, one without links, too many of them, or a file that is not ours to link. */
const NO_LINK = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/** A second name for a file, which it keeps when another is renamed over the first; else a copy. */
export async function keepLinked(source: Place, target: Place): Promise<void> {
  await orMissing(unlink(target.path))
  if (!(await tryLink(source.path, target.path))) return installCopy(source, target, { mode: 0o600 })
  await syncContent(target.path)
  await syncDirectory(target)
}

/** The very file that was kept, labels and all; a copy of it when only a copy was kept, or cannot be anything else. */
export async function restoreLinked(source: Place, target: Place, options: Required<WriteOptions>): Promise<void> {
  // A link shares mode and owner with what was kept: changing them would change both.
  const isSame = hasOwnership(await lstat(source.path), options)
  const isLinked = isSame && (await throughTemporary(target, (temporary) => replaceByLink(source, target, temporary)))
  if (!isLinked) return installCopy(source, target, options)
  await syncDirectory(target)
}

/** When both are names of one file already, the rename does nothing, and leaves the temporary name. */
async function replaceByLink(source: Place, target: Place, temporary: string): Promise<boolean> {
  if (!(await tryLink(source.path, temporary))) return false
  await syncContent(temporary)
  await rename(temporary, target.path)
  return true
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
  await using handle = await openRegular(path)
  await handle.sync()
}

function hasOwnership(stats: Stats, { mode, uid, gid }: Required<WriteOptions>): boolean {
  return (stats.mode & 0o7777) === mode && stats.uid === uid && stats.gid === gid
}
