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
  const held = new Held()
  const more = async (): Promise<void> => {
    const { value, done } = await chunks.next()
    if (!done) held.add(value)
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
        const length = lengthOf(held.bytes.toString('latin1', at, at + LENGTH))
        while (held.length < at + length) await more()
        at += Math.max(LENGTH, length)
        if (at > MAX_REFS) throw new GitSyncError('refuse a list of refs larger than 64 MiB', { reason: 'ResponseTooLarge' })
        if (length === 0) return held.take(at)
      }
    },
    async *rest() {
      if (held.length > 0) yield held.take(held.length)
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

/** What has come. A long list comes in thousands of pieces: each is copied twice at most, and not with every later one. */
class Held {
  #room = Buffer.alloc(64 * 1024)
  #used = 0

  get length(): number {
    return this.#used
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#used)
  }

  add(piece: Buffer): void {
    const needed = this.#used + piece.length
    if (needed > this.#room.length) {
      const larger = Buffer.alloc(Math.max(needed, 2 * this.#room.length))
      this.bytes.copy(larger)
      this.#room = larger
    }
    piece.copy(this.#room, this.#used)
    this.#used = needed
  }

  take(count: number): Buffer {
    const taken = Buffer.from(this.#room.subarray(0, count))
    this.#room = Buffer.from(this.bytes.subarray(count))
    this.#used = this.#room.length
    return taken
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
