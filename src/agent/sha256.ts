import { createHash } from 'node:crypto'

/** Hex digest of bytes in memory; for files on the host there is `HostFiles.sha256`. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
