import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git'
import { guardedPack, type PackGuard, type PackSink } from './pack-guard.ts'
import { RequestGuard, type RequestLimits } from './request-guard.ts'

/** Runs one Git operation; ends it by the signal, a silent server, or an endless answer. */
export type GitTransport = <T>(signal: AbortSignal, operation: (client: HttpClient) => Promise<T>, sink?: PackSink) => Promise<T>

export interface TransportOptions extends RequestLimits {
  readonly pack: PackGuard
}

/** What answers the requests of one operation. isomorphic-git knows no others than those of HTTP. */
export interface Exchange {
  send(asked: GitHttpRequest, guard: RequestGuard): Promise<Answer>
  /** The operation is over. */
  end(): void
}

export interface Answer extends Omit<GitHttpResponse, 'body'> {
  readonly body: AsyncIterable<Uint8Array>
}

export function createTransport(options: TransportOptions, begin: () => Exchange): GitTransport {
  return async (signal, operation, sink) => {
    // isomorphic-git takes a body that breaks off for one that ended, and then complains of the pack: keep the real cause.
    let broken: unknown
    const keep = (error: unknown) => {
      broken ??= error
    }
    const exchange = begin()
    const request = async (asked: GitHttpRequest): Promise<GitHttpResponse> => {
      const guard = new RequestGuard(signal, options)
      try {
        const { body, ...answer } = await exchange.send(asked, guard)
        const bounded = guard.bounded(body)
        const isPack = answer.statusCode === 200 && asked.url.endsWith('/git-upload-pack')
        return { ...answer, body: told(isPack ? guardedPack(bounded, options.pack, sink) : bounded, keep) }
      } catch (cause) {
        keep(guard.explain(cause))
        throw broken
      }
    }
    try {
      const result = await operation({ request }).catch((error) => {
        throw broken ?? error
      })
      if (broken) throw broken
      return result
    } finally {
      exchange.end()
    }
  }
}

/** Tells why a body breaks off. */
async function* told(body: AsyncGenerator<Uint8Array>, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    onError(error)
    throw error
  }
}
