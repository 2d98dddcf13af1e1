import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileEntry } from './folder-entries.ts'
import type { TarEntry } from './tar.ts'

/**
 * The files of a folder that Git has. What somebody left beside them, such as a key that was tried, must get into no image.
 * @param at where the content of the folder is in the archive
 */
export function trackedEntries(root: string, folder: string, at: string): TarEntry[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', '.'], { cwd: join(root, folder), encoding: 'utf8' })
  const paths = listed.split('\0').filter((path) => path !== '')
  if (paths.length === 0) throw new Error(`put "${folder}" into an image: Git has no file of it`)
  return paths.map((path) => fileEntry(join(root, folder), { path, at }))
}
