import { createHash } from 'node:crypto'

/** As Git names the content of a file. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
