import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { GitObject } from './git-object.ts'

/** Writes each object as a file of its own, which is found by its name: of many small packs every index would be read. */
export async function writeLoose(
  gitdir: string,
  ids: readonly string[],
  read: (id: string) => Promise<GitObject>,
): Promise<void> {
  for (const id of ids) {
    const { type, content } = await read(id)
    const folder = join(gitdir, 'objects', id.slice(0, 2))
    await mkdir(folder, { recursive: true })
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
    await writeFile(join(folder, id.slice(2)), deflateSync(bytes, { level: 1 }))
  }
}
