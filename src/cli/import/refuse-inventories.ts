import { isAbsolute, relative, resolve } from 'node:path'
import type { CliIo } from '../cli-io.ts'

/** An inventory has files of its host. @throws {Error} when one lies where the next commit would have it */
export function refuseInventoriesIn(folder: string, paths: readonly string[], { cwd }: Pick<CliIo, 'cwd'>): void {
  const inside = paths.find((path) => isWithin(folder, resolve(cwd, path)))
  if (inside === undefined) return
  throw new Error(
    `--host "${inside}" is in the folder of the repository, "${folder}": it has contents of hosts, and would be committed; move it out of the folder`,
  )
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return !(isAbsolute(way) || way === '..' || way.startsWith('../'))
}
