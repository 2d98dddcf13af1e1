import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git'

/** What the server leaves out: files, or files and folders. */
export type Filter = 'blob:none' | 'tree:0'

/** Bytes of an advertisement within which the server says what it can do. */
const MAX_FIRST_LINE = 64 * 1024

/** What a server says that it can do when it leaves out what it is asked to. */
export const CAN_FILTER: readonly string[] = ['filter']
/** And sends any file that is asked for by its id: over HTTP every server does, over SSH it depends. */
export const CAN_FILTER_FILES: readonly string[] = [...CAN_FILTER, 'allow-tip-sha1-in-want', 'allow-reachable-sha1-in-want']

/**
 * A client that asks for less where the server can leave it out, as forges can; isomorphic-git has no word for it.
 * A server that cannot sends everything.
 */
export function partialFetch(client: HttpClient, filter: Filter, needs: readonly string[] = CAN_FILTER): HttpClient {
  let canFilter = false
  const tapped = async function* (body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let first = Buffer.alloc(0)
    for await (const chunk of body) {
      if (first.length < MAX_FIRST_LINE) first = Buffer.concat([first, chunk])
      canFilter ||= offers(first, needs)
      yield chunk
    }
  }
  return {
    async request(asked: GitHttpRequest): Promise<GitHttpResponse> {
      if (asked.method === 'POST')
        return client.request(canFilter && asked.body ? { ...asked, body: filtered(asked.body, filter) } : asked)
      const answer = await client.request(asked)
      return answer.body ? { ...answer, body: tapped(answer.body) } : answer
    },
  }
}

/** What a server can do stands behind the NUL of the first ref. */
function offers(advertisement: Buffer, needs: readonly string[]): boolean {
  const [, capabilities = ''] = /\0([^\n]*)\n/.exec(advertisement.toString('latin1', 0, MAX_FIRST_LINE)) ?? []
  return needs.every((name) => capabilities.split(' ').includes(name))
}

async function* filtered(body: AsyncIterable<Uint8Array>, filter: Filter): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  yield withFilter(Buffer.concat(chunks), filter)
}

/** Says so behind the first `want`, and asks for it before the flush that ends what is wanted. */
export function withFilter(request: Buffer, filter: Filter): Buffer {
  const first = lengthAt(request, 0)
  const want = `${request.toString('latin1', 4, first).trimEnd()} filter\n`
  let flush = first
  while (lengthAt(request, flush) > 0) flush += lengthAt(request, flush)
  return Buffer.concat([packet(want), request.subarray(first, flush), packet(`filter ${filter}\n`), request.subarray(flush)])
}

function lengthAt(request: Buffer, at: number): number {
  return Number.parseInt(request.toString('latin1', at, at + 4), 16)
}

export function packet(line: string): Buffer {
  return Buffer.from((line.length + 4).toString(16).padStart(4, '0') + line, 'latin1')
}
