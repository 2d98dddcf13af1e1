import { closeSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { readdir, readlink } from '../../kube/file-calls.ts'
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
import { HostTree, type Place } from './host-tree.ts'
import { keepLinked, restoreLinked } from './linked-files.ts'
import { makeDirectoryDurably, makeLinkDurably } from './names-on-disk.ts'
import { openRegular, REGULAR } from './open-regular.ts'
import { orMissing } from './or-missing.ts'
import { removeTree } from './remove-tree.ts'

/** Larger files are not configuration; reading one into memory would be an accident or an attack. */
const MAX_READ_BYTES = 64 * 1024 * 1024
const SMALL = 256 * 1024

/** The host's file system, as the tree lets it be entered. */
export function nodeFiles(tree: HostTree = new HostTree()): HostFiles {
  const digests = new FileDigests()
  const found = async <T>(path: string, { follow }: { follow: boolean }, work: (place: Place) => Promise<T>) => {
    using place = tree.find(path, { follow })
    return place && (await orMissing(at(place, work)))
  }
  const named = <T>(path: string, work: (place: Place) => Promise<T>) => found(path, { follow: false }, work)
  const led = <T>(path: string, work: (place: Place) => Promise<T>) => found(path, { follow: true }, work)
  const made = async <T>(path: string, work: (place: Place) => Promise<T>): Promise<T> => {
    using place = tree.make(path)
    return await at(place, work)
  }
  const copied = async (from: string, to: string, work: (from: Place, to: Place) => Promise<void>): Promise<void> => {
    using source = tree.find(from)
    if (source === undefined) throw Object.assign(new Error(`ENOENT: no such file, copy "${from}"`), { code: 'ENOENT' })
    return await at(source, () => made(to, (target) => work(source, target)))
  }
  return {
    read: (path) => led(path, (place) => readWhole(place, path)),
    stat: (path) => named(path, async (place) => toFileStat(lstatSync(place.path))),
    sha256: (path) => led(path, (place) => digests.of(path, place.path)),
    list: async (path) => (await led(path, (place) => readdir(place.path)))?.sort() ?? [],
    writeAtomic: (path, bytes, options = {}) =>
      made(path, (place) => replace(place, options, (temporary) => writeNew(temporary, bytes))),
    install: (from, to, options) => copied(from, to, (source, target) => installCopy(source, target, options)),
    keep: (from, to) => copied(from, to, keepLinked),
    restore: (from, to, options) => copied(from, to, (source, target) => restoreLinked(source, target, options)),
    create: (path, bytes) => made(path, (place) => createWhole(place, bytes)),
    append: (path, line) => made(path, (place) => appendDurably(place, line)),
    remove: async (path) => named(path, removeDurably),
    removeTree: async (path) => {
      if (!tree.isOwn(path)) throw new Error(`remove the directory "${path}": it is not the agent's own`)
      await named(path, removeTree)
    },
    removeEmpty: async (directory) => named(directory, removeEmptyDurably),
    makeDirectory: (path, options = {}) => made(path, (place) => makeDirectoryDurably(place, options)),
    readLink: (path) => named(path, (place) => readlink(place.path)),
    link: (path, target) => made(path, (place) => makeLinkDurably(place, target)),
  }
}

/** Awaited here: a directory that is closed too early would be another one's number. */
async function at<T>(place: Place, work: (place: Place) => Promise<T>): Promise<T> {
  try {
    return await work(place)
  } catch (error) {
    throw place.explain(error)
  }
}

/** In one go: what is small is there sooner than another thread could be asked for it. */
async function readWhole(place: Place, path: string): Promise<Uint8Array> {
  const fd = openSync(place.path, REGULAR)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error(`open "${path}": no regular file`)
    if (stats.size <= SMALL) return readFileSync(fd)
    if (stats.size > MAX_READ_BYTES)
      throw new Error(`refuse to read "${path}": ${stats.size} bytes, at most ${MAX_READ_BYTES} are read`)
  } finally {
    closeSync(fd)
  }
  await using handle = await openRegular(place.path)
  return await handle.readFile()
}

function toFileStat(stats: Stats): FileStat {
  const type = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : stats.isSymbolicLink() ? 'symlink' : 'other'
  return { type, size: stats.size, mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid }
}
