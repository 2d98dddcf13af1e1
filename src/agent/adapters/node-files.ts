import type { Stats } from 'node:fs'
import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join, normalize, sep } from 'node:path'
import type { FileStat, HostFiles } from '../ports.ts'
import {
  appendDurably,
  createWhole,
  installCopy,
  removeDurably,
  removeEmptyDurably,
  replace,
  writeNew,
} from './durable-writes.ts'
import { FileDigests } from './file-digests.ts'
import { keepLinked, restoreLinked } from './linked-files.ts'
import { orMissing } from './or-missing.ts'

/** Larger files are not configuration; reading one into memory would be an accident or an attack. */
const MAX_READ_BYTES = 64 * 1024 * 1024

/**
 * The host's file system, below `root`. Nothing outside of `root` is ever touched: not by `..`, and not through a
 * symbolic link among the parents.
 */
export function nodeFiles(root = '/'): HostFiles {
  const place = (path: string): Promise<string> => placeBelow(root, path)
  const digests = new FileDigests()
  return {
    read: async (path) => readWhole(await place(path)),
    stat: async (path) => orMissing(lstat(await place(path)).then(toFileStat)),
    sha256: async (path) => digests.of(await place(path)),
    list: async (path) => (await orMissing(readdir(await place(path))))?.sort() ?? [],
    writeAtomic: async (path, bytes, options = {}) =>
      replace(await place(path), options, (temporary) => writeNew(temporary, bytes)),
    install: async (from, to, options) => installCopy(await place(from), await place(to), options),
    keep: async (from, to) => keepLinked(await place(from), await place(to)),
    restore: async (from, to, options) => restoreLinked(await place(from), await place(to), options),
    create: async (path, bytes) => createWhole(await place(path), bytes),
    append: async (path, line) => appendDurably(await place(path), line),
    remove: async (path) => removeDurably(await place(path)),
    removeEmpty: async (directory) => removeEmptyDurably(await place(directory)),
  }
}

async function readWhole(path: string): Promise<Uint8Array | undefined> {
  const stat = await orMissing(lstat(path))
  if (stat === undefined) return undefined
  if (stat.size > MAX_READ_BYTES)
    throw new Error(`refuse to read "${path}": ${stat.size} bytes, at most ${MAX_READ_BYTES} are read`)
  return orMissing(readFile(path))
}

/** @throws when the path would lead outside of the root. */
async function placeBelow(root: string, path: string): Promise<string> {
  if (!path.startsWith('/') || path.split('/').includes('..') || path.includes('\0'))
    throw new Error(`refuse the path "${path}": not absolute, or not normal`)
  const full = normalize(join(root, path))
  if (root === '/') return full
  const home = await realpath(root)
  const parent = await nearestExisting(dirname(full))
  if (parent !== home && !`${parent}/`.startsWith(home.endsWith(sep) ? home : home + sep)) {
    throw new Error(`refuse the path "${path}": a symbolic link leads out of "${root}", to "${parent}"`)
  }
  return full
}

async function nearestExisting(path: string): Promise<string> {
  return (await orMissing(realpath(path))) ?? nearestExisting(dirname(path))
}

function toFileStat(stats: Stats): FileStat {
  const type = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : stats.isSymbolicLink() ? 'symlink' : 'other'
  return { type, size: stats.size, mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid }
}
