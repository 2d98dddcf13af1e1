import type { IncomingMessage } from 'node:http'
import { StatusError } from '../status-error.ts'

const MAX_BODY = 3 * 1024 * 1024
const NONE = Buffer.alloc(0)

/** The body of a request. By events: an iterator over each of thousands of small bodies a second costs more than their handling. */
export async function readMessage(message: IncomingMessage): Promise<Buffer> {
  const { headers } = message
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return NONE
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY) chunks.push(chunk)
    })
    message.on('end', () => (size <= MAX_BODY ? resolve(Buffer.concat(chunks)) : reject(tooLarge())))
    message.on('error', reject)
  })
}

function tooLarge(): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY}`)
}
