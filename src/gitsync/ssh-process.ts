import type { ClientChannel } from 'ssh2'
import { GitSyncError } from './git-sync-error.ts'

/** Characters of what the server says on its standard error. */
const MAX_SAID = 1000
/** Bytes of all refs together. */
const MAX_REFS = 64 * 1024 * 1024
const LENGTH = 4

/** A `git-upload-pack` on the server. */
export interface UploadPack {
  /** Packets up to a flush, with it. @throws {GitSyncError} */
  untilFlush(): Promise<Buffer>
  /** @throws {GitSyncError} when the process fails */
  rest(): AsyncGenerator<Uint8Array>
  /** Asks for something, and says that nothing follows. */
  ask(request: Uint8Array): void
}

export function uploadPackOn(channel: ClientChannel): UploadPack {
  const chunks: AsyncIterator<Buffer> = channel[Symbol.asyncIterator]()
  const closed = new Promise<void>((resolve) => channel.once('close', () => resolve()))
  const failure = failureOf(channel)
  let held: Buffer = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const { value, done } = await chunks.next()
    if (!done) held = Buffer.concat([held, value])
    else {
      await closed
      throw (
        failure() ?? new GitSyncError('failed to read the repository: the server ended the connection', { reason: 'Unreachable' })
      )
    }
  }
  return {
    async untilFlush() {
      for (let at = 0; ; ) {
        while (held.length < at + LENGTH) await more()
        const length = lengthOf(held.toString('latin1', at, at + LENGTH))
        while (held.length < at + length) await more()
        at += Math.max(LENGTH, length)
        if (at > MAX_REFS) throw new GitSyncError('refuse a list of refs larger than 64 MiB', { reason: 'ResponseTooLarge' })
        if (length > 0) continue
        const lines = held.subarray(0, at)
        held = held.subarray(at)
        return lines
      }
    },
    async *rest() {
      if (held.length > 0) yield held
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
      await closed
      const error = failure()
      if (error) throw error
    },
    ask(request) {
      channel.end(request)
    },
  }
}

function lengthOf(digits: string): number {
  if (/^[0-9a-f]{4}$/i.test(digits)) return Number.parseInt(digits, 16)
  throw new GitSyncError('failed to read the repository: the server does not speak Git; check the address', {
    reason: 'Unreadable',
  })
}

/** What the process ended with, when that is a failure. */
function failureOf(channel: ClientChannel): () => GitSyncError | undefined {
  let said = ''
  let code: number | string | null = null
  channel.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(0, MAX_SAID)
  })
  channel.on('exit', (status: number | null, signal?: string) => {
    code = status ?? signal ?? null
  })
  return () => {
    if (code === null || code === 0) return undefined
    const line = said.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim()
    return new GitSyncError(`failed to read the repository: the server says: ${line || `exit code ${code}`}`, {
      reason: 'Unreadable',
    })
  }
}
