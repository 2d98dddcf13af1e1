import type { ServerResponse } from 'node:http'
import type { Core } from '../core.ts'
import { checkListOptions, revisionParameter } from '../requests/list-options.ts'
import type { ApiRequest } from '../requests/request.ts'
import { selectionOf } from '../requests/selection.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { expired } from '../status-error.ts'
import type { Viewer } from './event-line.ts'
import { eventLine, lineOf } from './event-line.ts'

const INITIAL_EVENTS_END = { annotations: { 'k8s.io/initial-events-end': 'true' } }
const DEFAULT_TIMEOUT = 45 * 60
/** A last bookmark goes out so long before the end, so that the client can go on from there. */
const BOOKMARK_BEFORE_END = 2000

export interface WatchOptions {
  /** Milliseconds between bookmarks. */
  readonly bookmarkInterval: number
}

/** Writes events until the client leaves or the time is up. @throws {StatusError} before anything is written */
export function serveWatch(core: Core, request: ApiRequest, response: ServerResponse, options: WatchOptions): void {
  checkListOptions(request.query, 'watch')
  const from = revisionParameter(request.query, 'watch')
  const selection = selectionOf(request)
  const collection = core.store.collection(request.type.collection)
  const viewer: Viewer = { type: request.type, form: request.form, selects: selection.selects, now: core.now }
  const stream = new WatchStream(response)

  const backlog = startingLines(core, request, { viewer, from })
  if (backlog === undefined) {
    const { message } = expired(`too old resource version: ${from} (${collection.history.oldest})`)
    stream.write(`{"type":"ERROR","object":${JSON.stringify(expired(message).toStatus())}}\n`)
    stream.end()
    return
  }
  for (const line of backlog) stream.write(line)
  const leave = core.watches.join(collection, {
    key: selection.key,
    deliver: (change) => stream.write(eventLine(change, viewer)),
    end: () => stream.end(),
    mute: () => stream.mute(),
  })
  const bookmark = () => stream.write(bookmarkLine(core, request))
  const timers = startTimers(request, { bookmark, end: () => stream.end(), interval: options.bookmarkInterval })
  response.once('close', () => {
    leave()
    for (const timer of timers) clearTimeout(timer)
  })
}

/** @returns undefined when the history no longer reaches back to `from`. */
function startingLines(
  core: Core,
  { type, query }: ApiRequest,
  { viewer, from }: { viewer: Viewer; from: number },
): Iterable<string> | undefined {
  const collection = core.store.collection(type.collection)
  const initial = query.get('sendInitialEvents')
  const wantsState = initial === null ? from === 0 : initial === 'true'
  if (!wantsState) {
    const changes = from === 0 ? [] : collection.history.since(from)
    return changes?.flatMap((change) => eventLine(change, viewer) ?? [])
  }
  const state = collection
    .sorted()
    .filter(viewer.selects)
    .map((entry) => lineOf('ADDED', entry, viewer))
  return initial === null ? state : [...state, bookmarkLine(core, { type, form: viewer.form }, INITIAL_EVENTS_END)]
}

function bookmarkLine(core: Core, { type, form }: Pick<ApiRequest, 'type' | 'form'>, more: object = {}): string {
  const metadata = { resourceVersion: String(core.store.revision), creationTimestamp: null, ...more }
  const [kind, apiVersion] =
    form.as === 'partial' ? ['PartialObjectMetadata', `meta.k8s.io/${form.version}`] : [type.kind, groupVersion(type)]
  if (form.as !== 'table') return `${JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion, metadata } })}\n`
  const rows = [{ cells: [], object: { kind, apiVersion, metadata } }]
  const table = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${form.version}`,
    metadata,
    columnDefinitions: type.columns.definitions,
    rows,
  }
  return `${JSON.stringify({ type: 'BOOKMARK', object: table })}\n`
}

function startTimers(
  { query }: ApiRequest,
  { bookmark, end, interval }: { bookmark: () => void; end: () => void; interval: number },
): NodeJS.Timeout[] {
  const timeout = (Number(query.get('timeoutSeconds')) || DEFAULT_TIMEOUT) * 1000
  const timers = [setTimeout(end, timeout)]
  if (query.get('allowWatchBookmarks') === 'true') {
    timers.push(setInterval(bookmark, interval))
    if (timeout > BOOKMARK_BEFORE_END) timers.push(setTimeout(bookmark, timeout - BOOKMARK_BEFORE_END))
  }
  for (const timer of timers) timer.unref()
  return timers
}

/** One watch connection. */
class WatchStream {
  readonly #response: ServerResponse
  #muted = false

  constructor(response: ServerResponse) {
    this.#response = response
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
  }

  write(line: string | undefined): void {
    if (line !== undefined && !this.#muted && !this.#response.writableEnded) this.#response.write(line)
  }

  mute(): void {
    this.#muted = true
  }

  end(): void {
    if (!this.#muted) this.#response.end()
  }
}
