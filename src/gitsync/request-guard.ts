import { GitSyncError } from './git-sync-error.ts'
import type { Timers } from './timers.ts'

export interface RequestLimits {
  /** Milliseconds without a byte. */
  readonly timeout: number
  /** Milliseconds from a request's start to the last byte of its answer. */
  readonly deadline: number
  /** Bytes of one answer: the largest pack that is taken. */
  readonly maxBytes: number
  readonly timers: Timers
}

/** Watches over one request from its start to the last byte of its answer. */
export class RequestGuard {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #options: RequestLimits
  readonly #abort = () => this.#controller.abort(this.#caller.reason)
  readonly #stopDeadline: () => void
  #stopClock = () => {}

  constructor(caller: AbortSignal, options: RequestLimits) {
    this.#caller = caller
    this.#options = options
    if (caller.aborted) this.#abort()
    caller.addEventListener('abort', this.#abort)
    this.#stopDeadline = this.#abortAfter(options.deadline, `it took longer than ${options.deadline} ms; see --git-timeout`)
    this.#wind()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The chunks of the answer. */
  async *bounded(response: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { maxBytes } = this.#options
    let size = 0
    try {
      for await (const chunk of response) {
        size += chunk.length
        if (size > maxBytes)
          throw new GitSyncError(`refuse an answer larger than ${maxBytes} bytes; see --git-max-pack`, {
            reason: 'ResponseTooLarge',
          })
        this.#wind()
        yield chunk
      }
    } catch (cause) {
      throw this.explain(cause)
    } finally {
      this.#release()
    }
  }

  explain(cause: unknown): unknown {
    this.#release()
    if (this.signal.aborted) return this.signal.reason
    if (cause instanceof GitSyncError) return cause
    const why = cause instanceof Error ? cause.message : String(cause)
    return new GitSyncError(`failed to reach the repository: ${why}`, { reason: 'Unreachable', cause })
  }

  #wind(): void {
    this.#stopClock()
    this.#stopClock = this.#abortAfter(this.#options.timeout, `no data for ${this.#options.timeout} ms`)
  }

  #abortAfter(milliseconds: number, why: string): () => void {
    const error = new GitSyncError(`failed to reach the repository: ${why}`, { reason: 'Timeout' })
    return this.#options.timers.after(milliseconds, () => this.#controller.abort(error))
  }

  #release(): void {
    this.#stopClock()
    this.#stopDeadline()
    this.#caller.removeEventListener('abort', this.#abort)
  }
}
