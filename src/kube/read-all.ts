import type { IncomingMessage } from 'node:http'
import { KubeError } from './kube-api.ts'
import { unreachable } from './status-error.ts'

/** The whole body. @throws {KubeError} when it breaks off or is larger than any honest answer */
export async function readAll(
  response: IncomingMessage,
  { what, maxBytes }: { readonly what: string; readonly maxBytes: number },
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      size += chunk.length
      if (size > maxBytes) throw unreachable(what, { reason: 'Unreadable', why: `the answer is larger than ${maxBytes} bytes` })
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof KubeError ? cause : unreachable(what, { cause })
  }
  return Buffer.concat(chunks, size)
}
