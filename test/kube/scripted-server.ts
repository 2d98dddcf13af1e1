import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Received {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer = (response: ServerResponse, request: Received) => void

/** A server that gives one answer after the other; the last one for ever. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  readonly connections: () => number
}

export async function scriptedServer(answers: readonly Answer[], tls?: ServerOptions): Promise<ScriptedServer> {
  const received: Received[] = []
  const handle: RequestListener = async (request, response) => {
    const answer = answers[Math.min(received.length, answers.length - 1)]
    const index = received.push({ method: '', url: new URL('http://x'), headers: {}, body: '' }) - 1
    received[index] = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', 'http://server'),
      headers: request.headers,
      body: await text(request),
    }
    answer?.(response, received[index])
  }
  const server: Server = tls ? createTlsServer(tls, handle) : createServer(handle)
  let connections = 0
  server.on(tls ? 'secureConnection' : 'connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export function json(body: unknown, code = 200, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export function refusal(code: number, reason: string, message = reason): Answer {
  return json({ kind: 'Status', status: 'Failure', code, reason, message }, code)
}

export function listOf(names: readonly string[], resourceVersion: string, next?: string): Answer {
  const items = names.map((name) => ({ metadata: { name, resourceVersion } }))
  return json({ metadata: { resourceVersion, ...(next && { continue: next }) }, items })
}

export interface Line {
  readonly type: string
  readonly name?: string
  readonly version: string
  /** A bookmark that ends what was there when the watch began. */
  readonly endsBeginning?: true
}

export function lines(events: readonly Line[]): string {
  return events
    .map(({ type, name, version, endsBeginning }) => {
      const annotations = endsBeginning && { 'k8s.io/initial-events-end': 'true' }
      return { type, object: { metadata: { name, resourceVersion: version, ...(annotations && { annotations }) } } }
    })
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('')
}

/** Sends events and then ends the watch, breaks it, or leaves it open in silence. */
export function watching(events: readonly Line[] | string, then: 'end' | 'break' | 'silence'): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    response.write(typeof events === 'string' ? events : lines(events), () => {
      if (then === 'end') response.end()
      if (then === 'break') response.socket?.destroy()
    })
  }
}
