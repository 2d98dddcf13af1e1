import type { IncomingMessage } from 'node:http'

/** Bytes. A push of thousands of commits may be larger: the next poll finds it. */
const LARGEST = 4 * 1024 * 1024

/** Reads a body, and no more of it than is allowed. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | 'too large' | 'ended early'> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST) return 'too large'
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > LARGEST) return 'too large'
      chunks.push(chunk)
    }
  } catch {
    return 'ended early'
  }
  return Buffer.concat(chunks)
}
