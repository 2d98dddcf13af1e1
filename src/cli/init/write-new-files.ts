import { lstat, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { refuseLinks } from '../refuse-links.ts'

/** @returns of these paths those where something is, also a symbolic link that leads nowhere */
export async function existingPaths(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const exist = await Promise.all(paths.map((path) => exists(join(folder, path))))
  return paths.filter((_, index) => exist[index])
}

/** @throws {Error} `EEXIST` when one of them appeared meanwhile: no file is written over */
export async function writeNewFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await refuseLinks(folder, Object.keys(files))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { flag: 'wx' })
  }
}

export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

/** @returns the top of the Git repository that the folder is in */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  if (await exists(join(folder, '.git'))) return folder
  const above = dirname(folder)
  return above === folder ? undefined : repositoryOf(above)
}
