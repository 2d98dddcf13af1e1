import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PARTIAL_FOLDER, REFUSED_MARK } from '../install/paths.ts'
import { HostTree } from './host-tree.ts'

/** More is a program or a library: of those the bill of materials names the version, and the size is compared. */
const SMALL = 4 * 1024 * 1024

/** The same in the file system of a host, which another one sees at `host`: links lead where they lead on the host. */
export function copyToHost(source: string, { host, folder }: { readonly host: string; readonly folder: string }): void {
  using place = new HostTree(host).make(folder)
  try {
    copyFolder(source, place.path)
  } catch (error) {
    throw place.explain(error)
  }
}

/**
 * Makes `target` a copy of `source`, which has files and directories only. On disk before it has its name: the power may go at any time.
 * @param copy of one file. Default: as the kernel copies
 * @throws when the target is not what an earlier call made
 */
export function copyFolder(source: string, target: string, copy: (from: string, to: string) => void = copyFileSync): void {
  requireOwn(source, target)
  removePartial(dirname(target))
  if (isCopy(source, target)) return
  const partial = join(dirname(target), `.${basename(target)}.partial`)
  const replaced = join(dirname(target), `.${basename(target)}.replaced.partial`)
  try {
    copyInto(partial, source, copy)
  } catch (error) {
    // Half a copy would keep a full disk full.
    rmSync(partial, { recursive: true, force: true })
    throw new Error(`copy the agent to "${target}": ${(error as Error).message}; ${remedy(source)}`, { cause: error })
  }
  // Two renames, one after the other: to remove the old folder takes long, and a host that starts meanwhile would have no agent.
  if (!existsSync(target) || isMovedAway(target, replaced)) renameSync(partial, target)
  else moveFiles(partial, target)
  sync(dirname(target))
  rmSync(replaced, { recursive: true, force: true })
}

/** A layer of an overlay file system over the one that has the folder cannot rename it. */
function isMovedAway(folder: string, to: string): boolean {
  try {
    renameSync(folder, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    return false
  }
}

/** Each in the place of what has its name: a host that starts meanwhile has an agent, and whoever is called again finds a folder of one. */
function moveFiles(partial: string, target: string): void {
  const kinds = new Map(entriesIn(partial))
  for (const [path, kind] of entriesIn(target))
    if (kinds.get(path) !== kind) rmSync(join(target, path), { recursive: true, force: true })
  for (const path of filesIn(partial)) {
    mkdirSync(join(target, dirname(path)), { recursive: true, mode: 0o755 })
    renameSync(join(partial, path), join(target, path))
    sync(join(target, dirname(path)))
  }
  rmSync(partial, { recursive: true })
}

/** What killed installers left, of any version: nobody else would give the space back. */
function removePartial(directory: string): void {
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => PARTIAL_FOLDER.test(name)) : []
  for (const name of names) rmSync(join(directory, name), { recursive: true, force: true })
}

function copyInto(partial: string, source: string, copy: (from: string, to: string) => void): void {
  mkdirSync(partial, { recursive: true, mode: 0o755 })
  for (const path of filesIn(source)) {
    mkdirSync(join(partial, dirname(path)), { recursive: true, mode: 0o755 })
    copy(join(source, path), join(partial, path))
    sync(join(partial, path))
  }
  const directories = readdirSync(partial, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const path of [...directories.map(({ parentPath, name }) => join(parentPath, name)), partial]) sync(path)
}

function remedy(source: string): string {
  const bytes = filesIn(source).reduce((sum, path) => sum + statSync(join(source, path)).size, 0)
  return `it needs ${Math.ceil(bytes / 1_000_000)} MB on that disk; correct the cause and install again`
}

/** Half of a folder, as a removal that was ended leaves it, has files of the agent or none; one with other files alone is somebody else's. */
function requireOwn(source: string, target: string): void {
  const stats = lstatSync(target, { throwIfNoEntry: false })
  if (stats === undefined) return
  const isOwn = stats.isDirectory() && (isEmpty(target) || filesIn(source).some((path) => existsSync(join(target, path))))
  if (!isOwn) throw new Error(`copy the agent: "${target}" is no folder of the agent; move it away and install again`)
}

function isEmpty(folder: string): boolean {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.every((entry) => entry.isDirectory() || entry.name === REFUSED_MARK)
}

/** Files that only the target has, such as the mark of a version that did not report, make no difference. */
function isCopy(source: string, target: string): boolean {
  return filesIn(source).every((path) => {
    const [from, to] = [join(source, path), join(target, path)]
    const size = statSync(from).size
    if (!existsSync(to) || statSync(to).size !== size) return false
    return size > SMALL || readFileSync(from).equals(readFileSync(to))
  })
}

function filesIn(folder: string): string[] {
  return entriesIn(folder).flatMap(([path, kind]) => (kind === 'file' ? path : []))
}

type Kind = 'file' | 'directory' | 'other'

/** A directory before what is in it; no link is followed. */
function entriesIn(folder: string): (readonly [path: string, kind: Kind])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other'
    return [join(entry.parentPath, entry.name).slice(folder.length + 1), kind]
  })
}

function sync(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
