import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TarEntry } from './tar.ts'

export interface FolderOptions {
  /** Where the content of the folder is in the archive. */
  readonly at: string
  /** Whether a path, relative to the folder, is left out with all below it. */
  readonly without?: (path: string) => boolean
}

/** Files and links of a folder. Of modes only the right to execute is kept: the rest is the umask of whoever made the files. */
export function folderEntries(folder: string, { at, without = () => false }: FolderOptions): TarEntry[] {
  const entriesOf = (path: string): TarEntry[] => {
    const names = readdirSync(join(folder, path)).map((name) => join(path, name))
    return names.filter((name) => !without(name)).flatMap((name) => entryOf(name))
  }
  const entryOf = (path: string): TarEntry[] => {
    const stat = lstatSync(join(folder, path))
    return stat.isDirectory() ? entriesOf(path) : [fileEntry(folder, { path, at })]
  }
  return entriesOf('')
}

/** @param path of a file or link in the folder */
export function fileEntry(folder: string, { path, at }: { readonly path: string; readonly at: string }): TarEntry {
  const [from, place] = [join(folder, path), join(at, path)]
  const stat = lstatSync(from)
  if (stat.isSymbolicLink()) return { path: place, target: readlinkSync(from) }
  return { path: place, mode: (stat.mode & 0o111) === 0 ? 0o644 : 0o755, content: readFileSync(from) }
}
