import { constants } from 'node:fs'
import { chown, copyFile, link, lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { WriteOptions } from '../ports.ts'
import { orMissing } from './or-missing.ts'

/** The old content or the new one, never between, whenever the power goes. `fill` creates the temporary file. */
export async function replace(target: string, options: WriteOptions, fill: (temporary: string) => Promise<void>): Promise<void> {
  await makeParents(dirname(target))
  const before = await orMissing(lstat(target))
  const temporary = temporaryOf(target)
  await rm(temporary, { force: true })
  const ownership = {
    mode: options.mode ?? (before?.isFile() ? before.mode & 0o7777 : 0o644),
    uid: options.uid ?? before?.uid ?? -1,
    gid: options.gid ?? before?.gid ?? -1,
  }
  try {
    await fill(temporary)
    await settle(temporary, ownership)
    await rename(temporary, target)
  } catch (error) {
    // Half a kubelet on a full disk would keep it full.
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await syncDirectory(dirname(target))
}

export async function installCopy(source: string, target: string, options: WriteOptions = {}): Promise<void> {
  await replace(target, options, (temporary) => copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE))
}

/** One name per target: what a crash leaves behind is swept up when the same file is written next, or removed. */
export function temporaryOf(target: string): string {
  return join(dirname(target), `.${basename(target)}.nodewave-tmp`)
}

/** By a link, which fails when there is something: nobody ever sees half of it. @returns whether it was made. */
export async function createWhole(target: string, bytes: Uint8Array): Promise<boolean> {
  await makeParents(dirname(target))
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.nodewave-tmp`)
  await rm(temporary, { force: true })
  try {
    await writeNew(temporary, bytes)
    await link(temporary, target)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await rm(temporary, { force: true })
  }
}

/** @throws when there is something already, be it only a link. */
export async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(bytes)
  } finally {
    await handle.close()
  }
}

export async function appendDurably(path: string, line: string): Promise<void> {
  await makeParents(dirname(path))
  const isNew = (await orMissing(lstat(path))) === undefined
  const handle = await open(path, 'a', 0o600)
  try {
    await handle.appendFile(`${line}\n`)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  if (isNew) await syncDirectory(dirname(path))
}

export async function removeDurably(path: string): Promise<void> {
  await rm(temporaryOf(path), { force: true })
  await rm(path, { recursive: true, force: true })
  await orMissing(syncDirectory(dirname(path)))
}

/** What is not empty, no directory, or in use as a mount point, has become somebody else's. */
export async function removeEmptyDurably(directory: string): Promise<void> {
  try {
    await rmdir(directory)
  } catch (error) {
    if (LEFT_ALONE.includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw error
  }
  await orMissing(syncDirectory(dirname(directory)))
}

const LEFT_ALONE = ['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EBUSY']

async function settle(path: string, { mode, uid, gid }: Required<WriteOptions>): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    const now = await handle.stat()
    if ((uid !== -1 && uid !== now.uid) || (gid !== -1 && gid !== now.gid)) await chown(path, uid, gid)
    // After chown, which clears the set-user-id bits.
    await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** New directories are on disk before anything is put into them. */
export async function makeParents(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o755 })
  if (first === undefined) return
  for (let path = directory; path.length >= first.length; path = dirname(path)) await syncDirectory(path)
  await syncDirectory(dirname(first))
}

export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
