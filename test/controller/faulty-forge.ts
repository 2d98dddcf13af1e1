import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Fault = (response: ServerResponse) => void

const answer = (status: number, headers: Readonly<Record<string, string>> = {}): Fault => {
  return (response) => void response.writeHead(status, headers).end('{"message":"no"}')
}

/** What a forge may do instead of answering. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'is away': (response) => void response.socket?.resetAndDestroy(),
  'answers 401': answer(401),
  'answers 403 with a rate limit': answer(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4000000000' }),
  'answers 429': answer(429, { 'retry-after': '60' }),
  'answers 500': answer(500),
  'answers with something else': (response) => void response.writeHead(200).end('<html>'),
  'closes in the middle of an answer': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('[')
    response.socket?.end()
  },
  'sends one byte and then nothing': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('[')
  },
  'never answers': () => undefined,
}

export interface FaultyForge extends AsyncDisposable {
  readonly url: string
  /** `POST /statuses/COMMIT success`, of those that were answered. */
  readonly done: readonly string[]
  /** How many requests met the fault. */
  readonly failed: number
  /** From now on; connections that wait are ended. Undefined: it is well. */
  set(fault: Fault | undefined): void
  /** Resolves when it is as wanted. */
  until(wanted: () => boolean): Promise<void>
}

/** A GitHub for statuses, deployments and pull requests, with faults. */
export async function aFaultyForge(): Promise<FaultyForge> {
  const state = { fault: undefined as Fault | undefined, failed: 0, done: [] as string[], waiting: new Set<() => void>() }
  const changed = () => {
    for (const look of [...state.waiting]) look()
  }
  const server = createServer(async (request, response) => {
    const { fault } = state
    if (fault) {
      state.failed += 1
      fault(response)
    } else await answerWell(request, response, state.done)
    changed()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    done: state.done,
    get failed() {
      return state.failed
    },
    set(fault) {
      state.fault = fault
      server.closeAllConnections()
    },
    until: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (!wanted()) return
          state.waiting.delete(look)
          resolve()
        }
        state.waiting.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const MADE = {
  id: 1,
  sha: 'c'.repeat(40),
  number: 1,
  html_url: 'https://x/1',
  state: 'open',
  tree: { sha: 'd' },
  environment: '',
}

async function answerWell(request: IncomingMessage, response: ServerResponse, done: string[]): Promise<void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk)
  const body = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as { state?: string })
  const path = (request.url ?? '').replace('/repos/platform/fleet', '').replace(/\?.*/, '')
  done.push(`${request.method} ${path}${body.state === undefined ? '' : ` ${body.state}`}`)
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify(contentOf(`${request.method} ${path}`, done)))
}

/** Of what the controller asks for, two matter: whether its pull request is there already, and the modes of the files that it puts back. */
function contentOf(line: string, done: readonly string[]): unknown {
  if (line === 'GET /pulls') return done.includes('POST /pulls') ? [MADE] : []
  if (line.startsWith('GET /git/trees/')) return { tree: [] }
  return line.startsWith('GET /git/') || !line.startsWith('GET ') ? MADE : []
}
