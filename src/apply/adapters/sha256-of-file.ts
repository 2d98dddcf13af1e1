import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { orMissing } from './or-missing.ts'

/** Hex digest of a file's content, streamed: a kubelet of 90 MB costs no memory. Undefined when there is no such file. */
export async function sha256OfFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  return orMissing(pipeline(createReadStream(path), hash).then(() => hash.digest('hex')))
}
