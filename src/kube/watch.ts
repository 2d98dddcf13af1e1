import type { IncomingMessage } from 'node:http'
import { startDeadline } from './deadline.ts'
import { type FollowOptions, KubeError, type KubeObject } from './kube-api.ts'
import { selectors } from './list.ts'
import { readLines } from './read-lines.ts'
import { guarded } from './silence.ts'
import { statusError, unreachable } from './status-error.ts'
import type { Timers } from './timers.ts'
import type { Transport } from './transport.ts'

/** etcd holds 1.5 MiB of an object; as JSON it is larger, but never this large. */
const MAX_LINE = 8 * 1024 * 1024
/** API servers send a bookmark a minute to a watch that has nothing else to tell; proxies and busy servers add to that. */
const STALL_AFTER = 75_000
/** Milliseconds for a watch of a second. */
const SECOND_WATCH = 5_000

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
 * when nothing comes for `stallAfter`, when another watch tells more, and for an ERROR event.
 * @throws {KubeError} when it is refused
 */
export async function openWatch<T>(
  context: WatchContext,
  path: string,
  { resourceVersion, ...options }: FollowOptions<T> & { readonly resourceVersion?: string },
): Promise<AsyncGenerator<WatchEvent>> {
  const query = {
    ...selectors(options),
    watch: 'true',
    allowWatchBookmarks: 'true',
    ...(resourceVersion === undefined ? FROM_THE_BEGINNING : { resourceVersion }),
    // Spread, so that a fleet's watches do not end and begin together.
    timeoutSeconds: String(300 + Math.floor(context.random() * 300)),
  }
  const what = `watch "${path}"`
  const { signal, stallAfter = STALL_AFTER, isAwaited } = options
  const response = await context.transport.stream({ verb: 'watch', method: 'GET', path, query, signal })
  const position = { version: resourceVersion }
  const silence = {
    stallAfter,
    isAwaited,
    hasMissed: async (heard: AbortSignal) =>
      position.version !== undefined &&
      hasMissed(context, path, { ...options, resourceVersion: position.version, signal: heard }),
  }
  return eventsOf(response, guarded(response, context.timers, { ...silence, what }), { what, position })
}

async function* eventsOf(
  response: IncomingMessage,
  chunks: AsyncIterable<Buffer>,
  { what, position }: { readonly what: string; readonly position: { version: string | undefined } },
): AsyncGenerator<WatchEvent> {
  try {
    for await (const line of readLines(chunks, MAX_LINE)) {
      const event = eventOf(line, what)
      // What is there at the beginning comes in no order of versions.
      if (position.version !== undefined || endsBeginning(event)) position.version = event.object.metadata.resourceVersion
      yield event
    }
  } catch (cause) {
    throw cause instanceof KubeError ? cause : unreachable(what, { cause })
  } finally {
    response.destroy()
  }
}

/** Whether a second watch from the same version on tells of a change within a second. @throws when it cannot be known */
async function hasMissed<T>(
  { transport, timers }: WatchContext,
  path: string,
  { resourceVersion, signal, ...options }: FollowOptions<T> & { readonly resourceVersion: string },
): Promise<boolean> {
  const query = { ...selectors(options), watch: 'true', resourceVersion, timeoutSeconds: '1' }
  const what = `watch "${path}"`
  const error = () => unreachable(what, { reason: 'Timeout', why: `it did not end within ${SECOND_WATCH} ms` })
  const deadline = startDeadline({ timers, milliseconds: SECOND_WATCH, error, signal })
  try {
    const response = await transport.stream({ verb: 'watch', method: 'GET', path, query, signal: deadline.signal })
    for await (const line of readLines(response, MAX_LINE)) if (eventOf(line, what).type !== 'BOOKMARK') return true
    return false
  } finally {
    deadline.release()
  }
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
