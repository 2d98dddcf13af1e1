import { constants } from 'node:fs'
import { type OpenFile, open } from '../../kube/file-calls.ts'

/** A link is not followed, and a pipe does not make it wait. */
export const REGULAR = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens a regular file; a link is not followed, and a pipe does not make it wait. @throws for anything else */
export async function openRegular(path: string, flags: number = constants.O_RDONLY): Promise<OpenFile> {
  const handle = await open(path, flags | REGULAR)
  const stats = await handle.stat()
  if (stats.isFile()) return handle
  await handle.close()
  throw new Error(`open "${path}": no regular file`)
}
