import {
  type FollowEvent,
  type FollowOptions,
  type KubeApi,
  KubeError,
  type KubeObject,
  type PatchType,
} from '../../kube/kube-api.ts'
import type { Core } from './core.ts'
import { answerDiscovery } from './discovery/answer-discovery.ts'
import { asSent } from './json.ts'
import { answer } from './requests/dispatch.ts'
import { readHead } from './requests/read-request.ts'
import type { ApiRequest, ApiResponse } from './requests/request.ts'
import { type ObjectSelection, selectionOf } from './requests/selection.ts'
import { StatusError } from './status-error.ts'
import type { StoredChange } from './storage/change.ts'
import type { Collection } from './storage/collection.ts'

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

const NO_BODY = Buffer.alloc(0)

interface Asked {
  readonly method: string
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  readonly contentType?: string
}

/**
 * A client in the server's own process, for fleets in virtual time: the same answers and refusals, without sockets and timers. Objects
 * are the server's own, which nobody changes. Watches never break by themselves; who wants that puts something unreliable in front.
 */
export function inProcessClient(core: Core): KubeApi {
  const ask = async <T>(path: string, asked: Asked): Promise<T> => {
    const request = resourceRequest(core, path, asked)
    const answered = request ? answerTo(core, request) : described(core, path, asked)
    if (!answered) throw noSuchResource(path)
    return (answered.object ?? JSON.parse(answered.text)) as T
  }
  return {
    get: (path, options) => ask(path, { method: 'GET', query: options?.query }),
    create: (path, body, options) => ask(path, { method: 'POST', body, query: options?.query }),
    replace: (path, body, options) => ask(path, { method: 'PUT', body, query: options?.query }),
    patch: (path, body, { type = 'merge', query } = {}) =>
      ask(path, { method: 'PATCH', body, contentType: PATCH_TYPES[type], query }),
    delete: async (path, options) => void (await ask(path, { method: 'DELETE', body: options?.body, query: options?.query })),
    async list(path, options) {
      const items = itemsOf(selected(core, path, options), options)
      return { items, resourceVersion: String(core.store.revision) }
    },
    follow: (path, options) => follow(core, path, options),
  }
}

/** What the server says of itself, such as its version. */
function described(core: Core, path: string, { method }: Asked): ApiResponse | undefined {
  return answerDiscovery(core, { method, headers: {} }, new URL(path, 'http://server'))
}

function resourceRequest(
  core: Core,
  path: string,
  { method, query, body, contentType = 'application/json' }: Asked,
): ApiRequest | undefined {
  const at = path.indexOf('?')
  const [pathname, search] = at < 0 ? [path, undefined] : [path.slice(0, at), path.slice(at + 1)]
  const searchParams = search === undefined && query === undefined ? NO_QUERY : queryOf(search, query)
  const head = readHead({ method, headers: { 'content-type': contentType } }, { pathname, searchParams }, core.registry)
  return head && { ...head, body: body === undefined ? NO_BODY : { says: asSent(body) } }
}

/** One for all, which nobody changes: most requests have none. */
const NO_QUERY = new URLSearchParams()

function queryOf(search: string | undefined, query: Asked['query'] = {}): URLSearchParams {
  const params = new URLSearchParams(search)
  for (const [key, value] of Object.entries(query)) params.set(key, value)
  return params
}

function noSuchResource(path: string): KubeError {
  return new KubeError(`the server could not find the requested resource "${path}"`, { code: 404, reason: 'NotFound' })
}

function answerTo(core: Core, request: ApiRequest): ApiResponse {
  try {
    return answer(core, request)
  } catch (cause) {
    if (!(cause instanceof StatusError)) throw cause
    const { code, reason, details, message } = cause
    throw new KubeError(message, { code, reason, retryAfter: details?.retryAfterSeconds, cause })
  }
}

/** What the options select, and from which collection. */
interface Selected extends Pick<ObjectSelection, 'selects' | 'key'> {
  readonly collection: Collection
}

function selected<T>(core: Core, path: string, { labelSelector, fieldSelector }: FollowOptions<T>): Selected {
  const query = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) }
  const request = resourceRequest(core, path, { method: 'GET', query })
  if (!request) throw noSuchResource(path)
  return { collection: core.store.collection(request.type.collection), ...selectionOf(request) }
}

function itemsOf<T>({ collection, selects, key }: Selected, { project }: FollowOptions<T>): T[] {
  const only = key === undefined ? undefined : collection.get(key)
  const entries = key === undefined ? collection.sorted() : only ? [only] : []
  return entries.filter(selects).map(({ object }) => project(object as KubeObject))
}

async function* follow<T>(core: Core, path: string, options: FollowOptions<T>): AsyncGenerator<FollowEvent<T>> {
  const { signal } = options
  const selection = selected(core, path, options)
  const { collection, selects, key } = selection
  options.onList?.()
  const resourceVersion = String(core.store.revision)
  const sync = { type: 'sync', items: itemsOf(selection, options), resourceVersion } as const
  const told: StoredChange[] = []
  let wake = (): void => {}
  const deliver = (change: StoredChange): void => {
    if (selects(change.entry) || (change.previous && selects(change.previous))) told.push(change)
    wake()
  }
  const leave = core.watches.join(collection, { key, deliver, end: () => {}, mute: () => {} })
  const stop = (): void => wake()
  signal?.addEventListener('abort', stop)
  options.onOpen?.()
  try {
    if (!signal?.aborted) yield sync
    while (!signal?.aborted) {
      const change = told.shift()
      if (change) yield eventOf(change, selects, options)
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    leave()
  }
}

/** Projected when it is read, as one from a socket is. */
function eventOf<T>(
  { type, entry }: StoredChange,
  selects: (entry: StoredChange['entry']) => boolean,
  { project }: FollowOptions<T>,
): FollowEvent<T> {
  if (type !== 'DELETED' && selects(entry)) return { type: 'upsert', item: project(entry.object as KubeObject) }
  const { name = '', namespace = '' } = entry.object.metadata
  return { type: 'delete', name, namespace, resourceVersion: String(entry.revision) }
}
