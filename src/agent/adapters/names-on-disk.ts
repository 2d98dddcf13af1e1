import { closeSync, fchmodSync, fchownSync, fstatSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { rename, symlink } from '../../kube/file-calls.ts'
import type { WriteOptions } from '../ports.ts'
import { syncDirectory } from './durable-writes.ts'
import { DIRECTORY, type Place } from './host-tree.ts'
import { throughTemporary } from './temporary-names.ts'

const NEW_DIRECTORY = 0o755

/** Mode and owner are set on the directory that is open: nobody can put another in its place meanwhile. */
export async function makeDirectoryDurably(target: Place, { mode, uid = -1, gid = -1 }: WriteOptions): Promise<void> {
  const isNew = makeName(target)
  const fd = openSync(target.path, DIRECTORY)
  try {
    const now = fstatSync(fd)
    if ((uid !== -1 && uid !== now.uid) || (gid !== -1 && gid !== now.gid)) fchownSync(fd, uid, gid)
    // After chown, which clears the set-group-id bit.
    const wanted = mode ?? (isNew ? NEW_DIRECTORY : undefined)
    if (wanted !== undefined) fchmodSync(fd, wanted)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  await syncDirectory(target)
}

/** @returns false when something has the name already */
function makeName(target: Place): boolean {
  try {
    mkdirSync(target.path, 0o700)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** By a rename, as a file is written. */
export async function makeLinkDurably(place: Place, target: string): Promise<void> {
  await throughTemporary(place, async (temporary) => {
    await symlink(target, temporary)
    await rename(temporary, place.path)
  })
  await syncDirectory(place)
}

/** To another name in its directory. */
export async function renameDurably(place: Place, name: string): Promise<void> {
  await rename(place.path, place.beside(name))
  await syncDirectory(place)
}
