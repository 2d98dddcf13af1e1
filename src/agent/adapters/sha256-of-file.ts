import { createHash } from 'node:crypto'
import type { OpenFile } from '../../kube/file-calls.ts'
import { openRegular } from './open-regular.ts'
import { orMissing } from './or-missing.ts'

const PIECE = 256 * 1024

/** Hex digest of a file's content. Undefined when there is no such file. */
export async function sha256OfFile(path: string): Promise<string | undefined> {
  const handle = await orMissing(openRegular(path))
  try {
    return handle && (await sha256Of(handle))
  } finally {
    await handle?.close()
  }
}

/** One buffer for the whole of it: a stream would make a new one for each piece, and a kubelet has 90 MB. */
async function sha256Of(handle: OpenFile): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafeSlow(PIECE)
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, PIECE)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(buffer.subarray(0, bytesRead))
  }
}
