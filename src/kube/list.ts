import { KubeError, type KubeObject, type ListOptions } from './kube-api.ts'
import { unreachable } from './status-error.ts'
import type { Transport } from './transport.ts'

/** Nodes have 10 kB and more. A page is in memory as bytes, as text and as objects, and malloc does not give back what large pages took. */
const PAGE = 100
/** A list so long that its snapshot expires while it is read would expire again: after so many starts, say so. */
const STARTS = 3

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly KubeObject[]
}

/** Reads a collection page by page; starts again when the server forgot the snapshot in the middle (410). */
export async function list<T>(
  transport: Transport,
  path: string,
  options: ListOptions<T>,
): Promise<{ readonly items: T[]; readonly resourceVersion: string }> {
  for (let start = 1; ; start++) {
    try {
      return await readPages(transport, path, options)
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 410) || start === STARTS) throw error
    }
  }
}

/** How far the server has counted. */
export async function currentVersion<T>(transport: Transport, path: string, options: ListOptions<T>): Promise<string> {
  const { metadata } = await readPage(transport, path, { ...options, limit: 1, next: undefined })
  return metadata.resourceVersion
}

async function readPages<T>(transport: Transport, path: string, options: ListOptions<T>) {
  const items: T[] = []
  let next: string | undefined
  for (;;) {
    const page = await readPage(transport, path, { ...options, next })
    for (const object of page.items) items.push(options.project(object))
    next = page.metadata.continue || undefined
    if (!next) return { items, resourceVersion: page.metadata.resourceVersion }
  }
}

async function readPage<T>(
  transport: Transport,
  path: string,
  { next, limit = PAGE, signal, timeout, ...options }: ListOptions<T> & { readonly next: string | undefined },
): Promise<Page> {
  const query = { ...selectors(options), limit: String(limit), ...(next && { continue: next }) }
  const answer = await transport.send({ verb: 'list', method: 'GET', path, query, signal, timeout })
  if (!isPage(answer)) throw unreachable(`list "${path}"`, { reason: 'Unreadable', why: 'the answer is not a list' })
  // An empty list of some Go servers is null.
  return { metadata: answer.metadata, items: answer.items ?? [] }
}

function isPage(answer: unknown): answer is Page {
  const { metadata, items } = Object(answer)
  return typeof metadata?.resourceVersion === 'string' && (Array.isArray(items) || items === null)
}

/** The query of whatever restricts a collection. */
export function selectors(
  options: Pick<ListOptions<unknown>, 'query' | 'labelSelector' | 'fieldSelector'>,
): Record<string, string> {
  return {
    ...options.query,
    ...(options.labelSelector && { labelSelector: options.labelSelector }),
    ...(options.fieldSelector && { fieldSelector: options.fieldSelector }),
  }
}
