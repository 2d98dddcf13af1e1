import type { IncomingMessage } from 'node:http'
import { type FollowOptions, KubeError, type KubeObject } from './kube-api.ts'
import { selectors } from './list.ts'
import { readLines } from './read-lines.ts'
import { statusError, unreachable } from './status-error.ts'
import type { Timers } from './timers.ts'
import type { Transport } from './transport.ts'

/** etcd holds 1.5 MiB of an object; as JSON it is larger, but never this large. */
const MAX_LINE = 8 * 1024 * 1024
/** API servers send a bookmark a minute to a watch that has nothing else to tell; proxies and busy servers add to that. */
const STALL_AFTER = 75_000

const FROM_THE_BEGINNING = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }

export function endsBeginning({ type, object }: WatchEvent): boolean {
  return type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: KubeObject
}

export interface WatchContext {
  readonly transport: Transport
  readonly timers: Timers
  readonly random: () => number
}

/**
 * Opens one watch from a version on; without one, from the beginning: what is there comes first, then a bookmark for which
 * `endsBeginning` holds. The events end when the server ends it, and fail with a `KubeError` when it breaks off,
 * when nothing comes for `stallAfter`, and for an ERROR event.
 * @throws {KubeError} when it is refused
 */
export async function openWatch<T>(
  { transport, timers, random }: WatchContext,
  path: string,
  { resourceVersion, signal, stallAfter = STALL_AFTER, ...options }: FollowOptions<T> & { readonly resourceVersion?: string },
): Promise<AsyncGenerator<WatchEvent>> {
  const query = {
    ...selectors(options),
    watch: 'true',
    allowWatchBookmarks: 'true',
    ...(resourceVersion === undefined ? FROM_THE_BEGINNING : { resourceVersion }),
    // Spread, so that a fleet's watches do not end and begin together.
    timeoutSeconds: String(300 + Math.floor(random() * 300)),
  }
  const what = `watch "${path}"`
  const response = await transport.stream({ verb: 'watch', method: 'GET', path, query, signal })
  return eventsOf(response, guarded(response, timers, { milliseconds: stallAfter, what }), what)
}

async function* eventsOf(response: IncomingMessage, chunks: AsyncIterable<Buffer>, what: string): AsyncGenerator<WatchEvent> {
  try {
    for await (const line of readLines(chunks, MAX_LINE)) yield eventOf(line, what)
  } catch (cause) {
    throw cause instanceof KubeError ? cause : unreachable(what, { cause })
  } finally {
    response.destroy()
  }
}

/**
 * Fails when the next chunk does not come in time, or nobody answers the kernel's probes. The clock stands still while the consumer
 * is at work.
 */
async function* guarded(
  response: IncomingMessage,
  timers: Timers,
  { milliseconds, what }: { readonly milliseconds: number; readonly what: string },
): AsyncGenerator<Buffer> {
  const stalled = (why: string, silentFor: number): KubeError => unreachable(what, { reason: 'Stalled', why, silentFor })
  const chunks = response[Symbol.asyncIterator]()
  for (;;) {
    const since = timers.elapsed()
    const cancel = timers.after(milliseconds, () => response.destroy(stalled(`no data for ${milliseconds} ms`, milliseconds)))
    const next = await chunks
      .next()
      .catch((cause) => {
        throw isUnanswered(cause) ? stalled('no answer to keep-alive probes', timers.elapsed() - since) : cause
      })
      .finally(cancel)
    if (next.done) return
    yield next.value
  }
}

/** What a socket says of a peer that acknowledges nothing any more. */
function isUnanswered(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ETIMEDOUT'
}

function eventOf(line: string, what: string): WatchEvent {
  const { type, object } = parse(line, what)
  if (type === 'ERROR') throw statusError(what, { answer: object, code: 0 })
  const known = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK'
  if (known && typeof Object(object).metadata?.resourceVersion === 'string') return { type, object: object as KubeObject }
  throw unreachable(what, { reason: 'Unreadable', why: `the line is not a watch event: ${line.slice(0, 200)}` })
}

function parse(line: string, what: string): { type?: unknown; object?: unknown } {
  try {
    return Object(JSON.parse(line))
  } catch (cause) {
    throw unreachable(what, { reason: 'Unreadable', why: `the line is not JSON: ${line.slice(0, 200)}`, cause })
  }
}
