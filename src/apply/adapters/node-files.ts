import { constants, type Stats } from 'node:fs'
import { chown, copyFile, lstat, mkdir, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, normalize, sep } from 'node:path'
import type { FileStat, HostFiles, WriteOptions } from '../ports.ts'
import { orMissing } from './or-missing.ts'
import { sha256OfFile } from './sha256-of-file.ts'

/** Larger files are not configuration; reading one into memory would be an accident or an attack. */
const MAX_READ_BYTES = 64 * 1024 * 1024

/**
 * The host's file system, below `root`. Nothing outside of `root` is ever touched: not by `..`, and not through a
 * symbolic link among the parents.
 */
export function nodeFiles(root = '/'): HostFiles {
  const place = (path: string): Promise<string> => placeBelow(root, path)
  return {
    read: async (path) => readWhole(await place(path)),
    stat: async (path) => orMissing(lstat(await place(path)).then(toFileStat)),
    sha256: async (path) => sha256OfFile(await place(path)),
    list: async (path) => (await orMissing(readdir(await place(path))))?.sort() ?? [],
    writeAtomic: async (path, bytes, options = {}) =>
      replace(await place(path), options, (temporary) => writeFile(temporary, bytes)),
    install: async (from, to, options = {}) => {
      const source = await place(from)
      await replace(await place(to), options, (temporary) =>
        copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
      )
    },
    append: async (path, line) => appendDurably(await place(path), line),
    remove: async (path) => {
      const target = await place(path)
      await rm(target, { recursive: true, force: true })
      await orMissing(syncDirectory(dirname(target)))
    },
  }
}

/** The old content or the new one, never between, whenever the power goes. `fill` creates the temporary file. */
async function replace(target: string, options: WriteOptions, fill: (temporary: string) => Promise<void>): Promise<void> {
  await makeParents(dirname(target))
  const before = await orMissing(lstat(target))
  // One name per target: what a crash leaves behind is swept up by the next write of the same file.
  const temporary = join(dirname(target), `.${basename(target)}.nodewave-tmp`)
  await rm(temporary, { force: true })
  await fill(temporary)
  await settle(temporary, {
    mode: options.mode ?? (before?.isFile() ? before.mode & 0o7777 : 0o644),
    uid: options.uid ?? before?.uid ?? -1,
    gid: options.gid ?? before?.gid ?? -1,
  })
  await rename(temporary, target)
  await syncDirectory(dirname(target))
}

async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(bytes)
  } finally {
    await handle.close()
  }
}

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

async function appendDurably(path: string, line: string): Promise<void> {
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

async function readWhole(path: string): Promise<Uint8Array | undefined> {
  const stat = await orMissing(lstat(path))
  if (stat === undefined) return undefined
  if (stat.size > MAX_READ_BYTES)
    throw new Error(`refuse to read "${path}": ${stat.size} bytes, at most ${MAX_READ_BYTES} are read`)
  return orMissing(readFile(path))
}

/** New directories are on disk before anything is put into them. */
async function makeParents(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o755 })
  if (first === undefined) return
  for (let path = directory; path.length >= first.length; path = dirname(path)) await syncDirectory(path)
  await syncDirectory(dirname(first))
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
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
