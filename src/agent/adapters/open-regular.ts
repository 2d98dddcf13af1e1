import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Opens a regular file; a link is not followed, and a pipe does not make it wait. @throws for anything else */
export async function openRegular(path: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  const handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stats = await handle.stat()
  if (stats.isFile()) return handle
  await handle.close()
  throw new Error(`open "${path}": no regular file`)
}
