import { constants, fsync } from 'node:fs'
import { copyFile, link, lstat, open, rename, rmdir, unlink } from '../../kube/file-calls.ts'
import type { WriteOptions } from '../ports.ts'
import type { Place } from './host-tree.ts'
import { openRegular } from './open-regular.ts'
import { orMissing } from './or-missing.ts'
import { removeTemporaries, throughTemporary, withTemporary } from './temporary-names.ts'

/** The old content or the new one, never between, whenever the power goes. `fill` creates the temporary file. */
export async function replace(target: Place, options: WriteOptions, fill: (temporary: string) => Promise<void>): Promise<void> {
  const before = await orMissing(lstat(target.path))
  const ownership = {
    mode: options.mode ?? (before?.isFile() ? before.mode & 0o7777 : 0o644),
    uid: options.uid ?? before?.uid ?? -1,
    gid: options.gid ?? before?.gid ?? -1,
  }
  await throughTemporary(target, async (temporary) => {
    await fill(temporary)
    await settle(temporary, ownership)
    await rename(temporary, target.path)
  })
  await syncDirectory(target)
}

export async function installCopy(source: Place, target: Place, options: WriteOptions = {}): Promise<void> {
  await using from = await openRegular(source.path)
  // The file that is open, whatever has its name by now.
  const opened = `/proc/self/fd/${from.fd}`
  await replace(target, options, (temporary) => copyFile(opened, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE))
}

/**
 * By a link, which fails when there is something: nobody ever sees half of it. Others may be creating the same: what they have under way is
 * left alone, and what a crash leaves behind is removed with the file.
 * @returns whether it was made.
 */
export async function createWhole(target: Place, bytes: Uint8Array): Promise<boolean> {
  return withTemporary(target, async (temporary) => {
    await writeNew(temporary, bytes)
    try {
      await link(temporary, target.path)
      return true
    } catch (error) {
      // Missing: another agent, which was faster and removed the file again, took what is under way here for the remains of a crash.
      if (!['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      return false
    }
  })
}

/** @throws when there is something already, be it only a link. */
export async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  await using handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  await handle.writeFile(bytes)
}

export async function appendDurably(target: Place, line: string): Promise<void> {
  const isNew = (await orMissing(lstat(target.path))) === undefined
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
  await using handle = await open(target.path, flags, 0o600)
  // The only write into a file that is there: by another name it may be somebody else's.
  if ((await handle.stat()).nlink !== 1) throw new Error(`append to "${target.path}": the file has other names as well`)
  await handle.appendFile(`${line}\n`)
  await handle.datasync()
  if (isNew) await syncDirectory(target)
}

/** A file or a link. @throws for a directory */
export async function removeDurably(target: Place): Promise<void> {
  await removeTemporaries(target)
  await orMissing(unlink(target.path))
  await syncDirectory(target)
}

/** What is not empty, no directory, or in use as a mount point, has become somebody else's. */
export async function removeEmptyDurably(directory: Place): Promise<void> {
  try {
    await rmdir(directory.path)
  } catch (error) {
    if (LEFT_ALONE.includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw error
  }
  await syncDirectory(directory)
}

const LEFT_ALONE = ['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EBUSY']

async function settle(path: string, { mode, uid, gid }: Required<WriteOptions>): Promise<void> {
  await using handle = await openRegular(path, constants.O_RDWR)
  const now = await handle.stat()
  if ((uid !== -1 && uid !== now.uid) || (gid !== -1 && gid !== now.gid)) await handle.chown(uid, gid)
  // After chown, which clears the set-user-id bits.
  await handle.chmod(mode)
  await handle.sync()
}

export function syncDirectory({ fd }: Place): Promise<void> {
  return new Promise((resolve, reject) => fsync(fd, (error) => (error === null ? resolve() : reject(error))))
}
