import type { IncomingMessage } from 'node:http'
import { readBounded } from '../../protocol/read-bounded.ts'

/** Bytes. A push of thousands of commits may be larger: the next poll finds it. */
const LARGEST = 4 * 1024 * 1024

/** Reads a body, and no more of it than is allowed. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | 'too large' | 'ended early'> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST) return 'too large'
  try {
    return (await readBounded(request as AsyncIterable<Uint8Array>, LARGEST)) ?? 'too large'
  } catch {
    return 'ended early'
  }
}
