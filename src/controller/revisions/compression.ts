import type { Buffer } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib'

export interface Compression {
  gzip(text: string): Promise<Buffer>
  /** @throws when it unpacks to more than `limit` bytes, or is damaged */
  gunzip(bytes: Buffer, limit: number): Promise<Buffer>
}

/** Besides the event loop: megabytes must not keep a leader from renewing its lease. */
export const onThreads: Compression = {
  gzip: (text) => promisify(gzip)(text),
  gunzip: (bytes, maxOutputLength) => promisify(gunzip)(bytes, { maxOutputLength }),
}

/** In the turn that asks for it, where time is virtual and waits for no thread. */
export const atOnce: Compression = {
  gzip: async (text) => gzipSync(text),
  gunzip: async (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
}
