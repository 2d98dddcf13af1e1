import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { refuseLinks } from '../refuse-links.ts'

/** @throws {Error} when something is in the folder already, unless it is forced: then files of the same name are written over */
export async function writeRepository(
  folder: string,
  files: Readonly<Record<string, string>>,
  { force }: { readonly force: boolean },
): Promise<void> {
  const present = (await readdir(folder).catch(() => [])).filter((name) => name !== '.git')
  if (present.length > 0 && !force)
    throw new Error(`"${folder}" is not empty: it has "${present[0]}"; name a new folder, or write over its files with --force`)
  await refuseLinks(folder, Object.keys(files))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}
