/** Plain requests to the API server, for the harness' own use and for what a scenario wants to see. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { createInterface } from 'node:readline'
import type { Certificates } from './certificates.ts'

export interface ApiResponse<T> {
  readonly status: number
  readonly body: T
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  /** For PATCH; JSON merge patch unless told otherwise. */
  readonly contentType?: string
}

export interface ApiClient {
  /** Whatever the status is. A body that is not JSON comes as text. */
  send<T>(path: string, request?: ApiRequest): Promise<ApiResponse<T>>
  /** The body of an answer that must be a success. */
  ask<T>(path: string, request?: ApiRequest): Promise<T>
  /** Follow a collection from now on, until the signal; one that breaks off is begun again. */
  watch<T>(path: string, onEvent: (event: WatchEvent<T>) => void, signal: AbortSignal): void
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: T
}

/** Milliseconds before an API server that is away is asked again. */
const RETRY = 200
/** Milliseconds; one that hangs fails, and whoever waits for something asks again. */
const REQUEST_TIMEOUT = 30_000
/** Milliseconds; sooner than the server closes an idle connection (90 s), or a request could be sent into one that is just being closed. */
const IDLE_TIMEOUT = 30_000

export function createApiClient(server: string, certificates: Certificates, user: string): ApiClient {
  const agent = new Agent({
    keepAlive: true,
    timeout: IDLE_TIMEOUT,
    ca: readFileSync(certificates.caFile),
    cert: readFileSync(certificates.certFile(user)),
    key: readFileSync(certificates.keyFile(user)),
  })

  function send<T>(path: string, { method = 'GET', body, contentType }: ApiRequest = {}): Promise<ApiResponse<T>> {
    const type = contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json')
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': type }
      const outgoing = request(new URL(path, server), { method, agent, headers, timeout: REQUEST_TIMEOUT }, (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString()) as T }),
        )
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer within ${REQUEST_TIMEOUT / 1000} s`)))
      outgoing.on('error', reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  async function ask<T>(path: string, options?: ApiRequest): Promise<T> {
    const { status, body } = await send<T>(path, options)
    if (status >= 200 && status < 300) return body
    const detail = JSON.stringify((body as { message?: string }).message ?? body)
    throw new Error(`${options?.method ?? 'GET'} ${path}: ${status} ${detail}`)
  }

  function watch<T>(path: string, onEvent: (event: WatchEvent<T>) => void, signal: AbortSignal): void {
    const ended = Promise.withResolvers<void>() // a connection that breaks off says so twice
    void ended.promise.then(() => {
      if (!signal.aborted) setTimeout(() => watch(path, onEvent, signal), RETRY).unref()
    })
    const url = new URL(path, server)
    url.searchParams.set('watch', 'true')
    const outgoing = request(url, { agent, signal }, (incoming) => {
      const lines = createInterface({ input: incoming })
      // A server that comes up refuses in plain text, one that is killed leaves half a line.
      lines.on('line', (line) => {
        const event = parse(line)
        if (typeof event === 'object') onEvent(event as WatchEvent<T>)
      })
      lines.on('error', () => undefined) // it is closed after that
      incoming.on('close', ended.resolve)
    })
    outgoing.on('error', ended.resolve)
    outgoing.end()
  }
  return { send, ask, watch }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
