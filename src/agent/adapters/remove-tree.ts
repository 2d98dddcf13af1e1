import { closeSync, fstatSync, openSync } from 'node:fs'
import { lstat, readdir, rmdir, unlink } from '../../kube/file-calls.ts'
import { syncDirectory } from './durable-writes.ts'
import { DIRECTORY, type Place, pathIn } from './host-tree.ts'
import { orMissing } from './or-missing.ts'

/**
 * A directory with all that is in it; a link in it is removed, and not followed.
 * @throws when another file system is mounted there: what is on that is not ours
 */
export async function removeTree(target: Place): Promise<void> {
  await removeIn(target.fd, target.name)
  await syncDirectory(target)
}

async function removeIn(parent: number, name: string): Promise<void> {
  const path = pathIn(parent, name)
  const stats = await orMissing(lstat(path))
  if (stats === undefined) return
  if (!stats.isDirectory()) return unlink(path)
  if (stats.dev !== fstatSync(parent).dev) throw new Error(`remove "${name}": another file system is mounted there`)
  const fd = openSync(path, DIRECTORY)
  try {
    for (const child of await readdir(pathIn(fd, '.'))) await removeIn(fd, child)
  } finally {
    closeSync(fd)
  }
  await rmdir(path)
}
