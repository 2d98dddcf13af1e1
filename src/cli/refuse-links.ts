import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** @throws {Error} naming the first symbolic link on the way from the folder to these paths: what is written there would lie elsewhere */
export async function refuseLinks(folder: string, paths: readonly string[]): Promise<void> {
  for (const part of new Set(paths.flatMap(partsOf)))
    if (await isLink(join(folder, part)))
      throw new Error(`refuse to write through the symbolic link "${part}" in "${folder}"; remove it, or name a new folder`)
}

/** `a/b/c` → `a`, `a/b`, `a/b/c` */
function partsOf(path: string): string[] {
  return path === '.' ? [] : [...partsOf(dirname(path)), path]
}

function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (entry) => entry.isSymbolicLink(),
    () => false,
  )
}
