import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import * as http from 'node:http'
import * as https from 'node:https'
import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git'
import { movedTo } from './explain-failure.ts'
import { authorizationOf, type GitCredentials } from './git-credentials.ts'
import { GitSyncError } from './git-sync-error.ts'
import type { Timers } from './timers.ts'

export interface GitHttpOptions {
  readonly credentials?: GitCredentials | undefined
  /** PEM of the authorities to trust instead of the usual ones. */
  readonly caFile?: string | undefined
  /** Milliseconds without a byte. */
  readonly timeout: number
  /** Bytes of one answer: the largest pack that is taken. */
  readonly maxBytes: number
  readonly timers: Timers
}

/**
 * Milliseconds for which a connection is kept, for the requests of one operation. Load balancers close theirs after a minute or so: kept
 * until the next poll, it would now and then be closed just as it is used, which is told of as trouble.
 */
const IDLE = 5_000

/** Runs one Git operation over HTTP; ends it by the signal, a silent server, or an endless answer. */
export type GitHttp = <T>(signal: AbortSignal, operation: (client: HttpClient) => Promise<T>) => Promise<T>

export function createGitHttp(url: string, options: GitHttpOptions): GitHttp {
  const secure = url.startsWith('https:')
  // The usual HTTPS_PROXY and NO_PROXY apply: forges are often behind one.
  const agent = new (secure ? https : http).Agent({ keepAlive: true, timeout: IDLE, proxyEnv: process.env })
  return async (signal, operation) => {
    // isomorphic-git takes a body that breaks off for one that ended, and then complains of the pack: keep the real cause.
    let broken: unknown
    const keep = (error: unknown) => {
      broken ??= error
    }
    const request = async (asked: GitHttpRequest): Promise<GitHttpResponse> => {
      const guard = new Guard(signal, options)
      try {
        const response = await send(asked, { secure, agent, guard, options })
        return { ...answer(response, asked), body: guard.bounded(response, keep) }
      } catch (cause) {
        keep(guard.explain(cause))
        throw broken
      }
    }
    const result = await operation({ request }).catch((error) => {
      throw broken ?? error
    })
    if (broken) throw broken
    return result
  }
}

interface Way {
  readonly secure: boolean
  readonly agent: http.Agent
  readonly guard: Guard
  readonly options: GitHttpOptions
}

async function send(asked: GitHttpRequest, { secure, agent, guard, options }: Way): Promise<http.IncomingMessage> {
  const body = await collect(asked.body)
  const headers: Record<string, string> = { ...asked.headers, 'user-agent': 'git/nodewave' }
  if (options.credentials) headers.authorization = await authorizationOf(options.credentials)
  const ca = options.caFile && (await readCa(options.caFile))
  const request = (secure ? https : http).request(asked.url, {
    method: asked.method ?? 'GET',
    headers,
    agent,
    signal: guard.signal,
    ...(ca && { ca }),
  })
  request.on('error', () => {})
  const response = once(request, 'response')
  request.end(body)
  return (await response)[0]
}

async function collect(body: GitHttpRequest['body']): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body ?? []) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function answer(response: http.IncomingMessage, asked: GitHttpRequest): Omit<GitHttpResponse, 'body'> {
  const { statusCode = 0, statusMessage = '', headers } = response
  if (statusCode >= 300 && statusCode < 400) throw movedTo(headers.location, asked.url)
  const single = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { url: asked.url, method: asked.method ?? 'GET', statusCode, statusMessage, headers: Object.fromEntries(single) }
}

/** Watches over one request from its start to the last byte of its answer. */
class Guard {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #options: GitHttpOptions
  readonly #abort = () => this.#controller.abort(this.#caller.reason)
  #stopClock = () => {}

  constructor(caller: AbortSignal, options: GitHttpOptions) {
    this.#caller = caller
    this.#options = options
    if (caller.aborted) this.#abort()
    caller.addEventListener('abort', this.#abort)
    this.#wind()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The chunks of the answer; tells `onError` why they break off. */
  async *bounded(response: http.IncomingMessage, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
    const { maxBytes } = this.#options
    let size = 0
    try {
      for await (const chunk of response) {
        size += chunk.length
        if (size > maxBytes)
          throw new GitSyncError(`refuse an answer larger than ${maxBytes} bytes`, { reason: 'ResponseTooLarge' })
        this.#wind()
        yield chunk
      }
    } catch (cause) {
      const error = this.explain(cause)
      onError(error)
      throw error
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
    const { timeout, timers } = this.#options
    const error = new GitSyncError(`failed to reach the repository: nothing came for ${timeout} ms`, { reason: 'Timeout' })
    this.#stopClock = timers.after(timeout, () => this.#controller.abort(error))
  }

  #release(): void {
    this.#stopClock()
    this.#caller.removeEventListener('abort', this.#abort)
  }
}

async function readCa(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new GitSyncError(`failed to read certificates "${path}" of --ca-file`, { reason: 'CredentialsUnreadable', cause })
  }
}
