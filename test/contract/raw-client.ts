import * as http from 'node:http'
import * as https from 'node:https'
import { createInterface } from 'node:readline'
import type { Connection } from '../../src/kube/connection.ts'
import { withDeadline } from '../waiting/until.ts'

/** Any JSON: what tests look into, each at its own risk. */
// biome-ignore lint/suspicious/noExplicitAny: a contract is told by what it contains, not by our types
export type Body = any

export interface RawAnswer {
  readonly code: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** Undefined when the text is not JSON. */
  readonly body: Body
}

export interface RawOptions {
  /** Sent as JSON; a string or bytes as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface RawClient {
  send(method: string, path: string, options?: RawOptions): Promise<RawAnswer>
  /** The events of a watch, until the server or `return()` ends it. */
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<AsyncIterator<Body>>
  close(): void
}

/** HTTP and nothing more: no retries, no opinions about answers. */
export async function createRawClient(connection: Connection): Promise<RawClient> {
  const { ca, cert, key, token } = await connection.credentials()
  const lib = connection.server.startsWith('https:') ? https : http
  const agent = new lib.Agent({ keepAlive: true })
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), servername: connection.tlsServerName }

  const open = (method: string, path: string, { body, headers }: RawOptions): Promise<http.IncomingMessage> =>
    new Promise((resolve, reject) => {
      const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      const data = isRaw ? body : JSON.stringify(body)
      const given = {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        // Node frames the body of a DELETE only when told its length.
        ...(data !== undefined && { 'content-length': String(Buffer.byteLength(data)) }),
      }
      const request = lib.request(connection.server + path, { method, agent, ...tls, headers: { ...given, ...headers } }, resolve)
      request.on('error', reject)
      request.end(data)
    })

  return {
    async send(method, path, options = {}) {
      const response = await open(method, path, options)
      const text = Buffer.concat(await response.toArray()).toString()
      return { code: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) }
    },
    async watch(path, headers = {}) {
      return events(await open('GET', path, { headers }))
    },
    close: () => agent.destroy(),
  }
}

async function* events(response: http.IncomingMessage): AsyncGenerator<Body> {
  try {
    for await (const line of createInterface({ input: response })) yield JSON.parse(line)
  } finally {
    response.destroy()
  }
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const MERGE = { 'content-type': 'application/merge-patch+json' }
export const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' }
export const JSON_PATCH = { 'content-type': 'application/json-patch+json' }
export const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' }
export const APPLY = { 'content-type': 'application/apply-patch+yaml' }
export const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
export const PARTIAL = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }
export const PARTIAL_LIST = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }

/** The next events of a watch. @throws when it ends before */
export async function take(watch: AsyncIterator<Body>, count: number): Promise<Body[]> {
  const taken: Body[] = []
  while (taken.length < count) {
    const { value, done } = await withDeadline(watch.next(), { for: `${count} events`, last: () => taken })
    if (done) throw new Error(`the watch ended after ${taken.length} of ${count} events: ${JSON.stringify(taken)}`)
    taken.push(value)
  }
  return taken
}

/** `ADDED a`: what an event says, in short. */
export function brief(event: Body): string {
  return `${event.type} ${event.object.metadata.name ?? ''}`.trim()
}

export function namesOf(list: Body): string[] {
  return list.items.map((item: Body) => item.metadata.name)
}
