import type { Core } from '../core.ts'
import type { ListMeta } from '../represent/render.ts'
import { renderList } from '../represent/render.ts'
import { expired, tooLargeRevision } from '../status-error.ts'
import type { Entry } from '../storage/entry.ts'
import { formatContinue, parseContinue } from './continue-token.ts'
import { checkListOptions, revisionParameter } from './list-options.ts'
import type { ApiRequest, ApiResponse } from './request.ts'
import { selectionOf } from './selection.ts'

const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** One page, or everything. @throws {StatusError} */
export function list(core: Core, request: ApiRequest): ApiResponse {
  checkListOptions(request.query, 'list')
  const { entries, revision, after } = source(core, request)
  const selection = selectionOf(request)
  const limit = pageLimit(request)
  const page = collectPage(entries, { selects: selection.selects, key: selection.key, after, limit, core, request })
  const last = page.at(-1)
  const prefix = request.namespace ? `${request.namespace}/` : ''
  const left = limit > 0 && page.length === limit && last !== undefined ? countAfter(entries, { key: last.key, prefix }) : 0
  const meta: ListMeta = {
    resourceVersion: String(revision),
    // Custom resources say that there is no more; built-in ones leave it out.
    ...(request.type.custom && request.form.as === 'object' ? { continue: '' } : {}),
    ...(left > 0 && last ? { continue: formatContinue({ revision, after: last.key }) } : {}),
    ...(left > 0 && selection.unselective ? { remainingItemCount: left } : {}),
  }
  if (left > 0) core.snapshots.keep(request.type.collection, revision, entries)
  return { code: 200, text: renderList(page, { form: request.form, now: core.now(), type: request.type, meta }) }
}

interface Source {
  readonly entries: readonly Entry[]
  readonly revision: number
  readonly after: string
}

function source(core: Core, { type, query }: ApiRequest): Source {
  const collection = core.store.collection(type.collection)
  const current = { entries: collection.sorted(), revision: core.store.revision }
  const token = query.get('continue')
  if (!token) return { ...atRevision(core, { type, query }, current), after: '' }
  const cursor = parseContinue(token)
  if (cursor.revision < 0) return { ...current, after: cursor.after }
  const kept = core.snapshots.find(type.collection, cursor.revision)
  if (!kept) throw expired(TOO_OLD, formatContinue({ revision: -1, after: cursor.after }))
  return { entries: kept, revision: cursor.revision, after: cursor.after }
}

function atRevision(
  core: Core,
  { type, query }: Pick<ApiRequest, 'type' | 'query'>,
  current: Omit<Source, 'after'>,
): Omit<Source, 'after'> {
  const asked = revisionParameter(query, 'list')
  if (asked > current.revision) throw tooLargeRevision(asked, current.revision)
  if (query.get('resourceVersionMatch') !== 'Exact' || asked === current.revision) return current
  const entries = core.snapshots.find(type.collection, asked)
  if (!entries) throw expired(`The resourceVersion for the provided list is too old.`)
  return { entries, revision: asked }
}

/** Lists at revision 0 come from the server's cache, which does not page. */
function pageLimit({ query }: ApiRequest): number {
  return query.get('resourceVersion') === '0' ? 0 : Math.max(0, Number(query.get('limit') ?? 0) || 0)
}

interface PageOptions {
  readonly selects: (entry: Entry) => boolean
  readonly key: string | undefined
  readonly after: string
  readonly limit: number
  readonly core: Core
  readonly request: ApiRequest
}

function collectPage(entries: readonly Entry[], options: PageOptions): readonly Entry[] {
  const { selects, key, after, limit, core, request } = options
  if (key !== undefined && after === '') {
    const only = core.store.collection(request.type.collection).get(key)
    return only && selects(only) ? [only] : []
  }
  const page: Entry[] = []
  for (let index = firstAfter(entries, after); index < entries.length; index++) {
    const entry = entries[index]
    if (entry && selects(entry)) page.push(entry)
    if (limit > 0 && page.length === limit) break
  }
  return page
}

/** Whatever is left counts, selected or not: only looking at it would tell, and that is the next page's work. */
function countAfter(entries: readonly Entry[], { key, prefix }: { key: string; prefix: string }): number {
  let count = 0
  for (let index = firstAfter(entries, key); entries[index]?.key.startsWith(prefix); index++) count++
  return count
}

/** Entries are in the order of their keys. */
function firstAfter(entries: readonly Entry[], key: string): number {
  if (key === '') return 0
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle]?.key ?? '') <= key) low = middle + 1
    else high = middle
  }
  return low
}
