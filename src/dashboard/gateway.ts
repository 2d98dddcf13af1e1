/** The page of a controller on the machine of an operator, who acts through it with the rights of a kubeconfig. */
import { timingSafeEqual } from 'node:crypto'
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Listening, listen } from '../http/listen.ts'
import { LIMITS } from './dashboard-server.ts'
import { type ActionOutcome, type PageAction, pageActionSchema } from './page-action.ts'
import { type Answer, answer, assetAt, HEADERS } from './page-assets.ts'
import { refusalOf } from './refuse-foreign.ts'

export interface GatewayOptions {
  readonly port: number
  /** Whoever has it may act: others who can reach this machine only look. */
  readonly key: string
  /** A connection to the page of the controller that leads. */
  readonly connect: () => Promise<Duplex>
  /** Absent: nobody may act. */
  readonly act?: (action: PageAction) => Promise<ActionOutcome>
  /** What the page says of who acts, and where. */
  readonly session: { readonly user: string; readonly cluster: string }
}

const HOST = '127.0.0.1'
const KEY_HEADER = 'x-nodewave-key'
const LARGEST_ACTION = 4096
const MOST_CONNECTIONS = 64
/** Of answers of the controller. */
const PASSED_TYPES: readonly string[] = ['application/json', 'text/event-stream']

/** Serves the page, and what the controller knows. @throws when the port cannot be had */
export function startGateway(options: GatewayOptions): Promise<Listening> {
  const server = createServer({ ...LIMITS, maxHeaderSize: 16 * 1024 }, (request, response) => {
    serve({ request, response, options }).catch((error: Error) => answer(response, { status: 502, body: `${error.message}\n` }))
  })
  server.maxConnections = MOST_CONNECTIONS
  return listen(server, { host: HOST, port: options.port }, { task: 'serve the dashboard at', option: '--port' })
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly options: GatewayOptions
}

async function serve({ request, response, options }: Exchange): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?')
  const refusal = refusalOf(request, path)
  if (refusal) return answer(response, refusal)
  if (path === '/session' || path === '/actions') return answer(response, await privately({ request, options, path }))
  if (request.method !== 'GET') return answer(response, { status: 405, body: 'expected GET\n' })
  const asset = await assetAt(path)
  if (asset) return answer(response, asset)
  return path === '/events' ? passOnEvents({ request, response, options }) : passOn({ request, response, options })
}

/** For whoever has the key alone. */
async function privately({ request, options, path }: Omit<Exchange, 'response'> & { readonly path: string }): Promise<Answer> {
  const { act, key, session } = options
  if (act === undefined) return { status: 404, body: 'this page only reads\n' }
  if (!isSame(String(request.headers[KEY_HEADER] ?? ''), key))
    return { status: 403, body: 'expected the key of the address that the command printed\n' }
  if (path === '/session') return json(session)
  if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
    return { status: 405, body: 'expected POST of application/json\n' }
  const found = pageActionSchema.safeParse(parsed(await bodyOf(request)))
  return found.success ? json(await act(found.data)) : { status: 400, body: 'expected an action of the page\n' }
}

function json(value: object): Answer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value) }
}

function isSame(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** @returns nothing of a body that is too long for an action */
async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) {
    text += part
    if (text.length > LARGEST_ACTION) return ''
  }
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Events end when the connection to the controller does, as it does while the kubelet of its node restarts: the page asks again. */
async function passOnEvents({ request, response, options }: Exchange): Promise<void> {
  try {
    const from = await askLeader({ request, response, options })
    if (from) pass(from, response, () => response.end())
  } catch (error) {
    const body = `event: unreachable\ndata: ${JSON.stringify((error as Error).message)}\n\n`
    answer(response, { status: 200, type: 'text/event-stream', body })
  }
}

async function passOn({ request, response, options }: Exchange): Promise<void> {
  const from = await askLeader({ request, response, options })
  if (from) pass(from, response, () => response.destroy())
}

/**
 * Each request has a connection of its own, to the controller that leads by then.
 * @returns nothing when nobody waits for the answer any more
 */
async function askLeader({ request, response, options }: Exchange): Promise<IncomingMessage | undefined> {
  const socket = await options.connect()
  if (response.destroyed) return void socket.destroy()
  response.on('close', () => socket.destroy())
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = ask({ createConnection: () => socket, path: request.url, headers: { host: 'localhost', connection: 'close' } })
  sent.on('response', resolve).on('error', reject).end()
  return promise
}

/** A page or a script of the controller would act with the key of this one. */
function typeOf({ headers: { 'content-type': type = '' } }: IncomingMessage): string {
  return PASSED_TYPES.includes(type) ? type : 'text/plain'
}

function pass(from: IncomingMessage, response: ServerResponse, onCut: () => void): void {
  response.writeHead(from.statusCode ?? 502, { ...HEADERS, 'content-type': typeOf(from) })
  from.on('error', onCut)
  from.pipe(response)
}
