import { once } from 'node:events'
import type { Agent, IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Connection, Credentials } from './connection.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { http, https } from './node-http.ts'
import { readAll } from './read-all.ts'
import { statusError, unreachable } from './status-error.ts'
import type { Timers } from './timers.ts'

/** A request as the API reference spells it. */
export interface Call {
  /** What is being done, for errors: `get`, `watch`, … */
  readonly verb: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  readonly contentType?: string
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the whole answer is there (of a stream: until its first headers). */
  readonly timeout?: number | undefined
  /** Default: false. */
  readonly newConnection?: boolean | undefined
}

/** @throws {KubeError} for every refusal and failure; with the signal's own reason when the caller aborted. */
export interface Transport {
  /** The whole answer as JSON. */
  send(call: Call): Promise<unknown>
  /** The answer's body as it comes; destroying it ends the request. */
  stream(call: Call): Promise<IncomingMessage>
}

const TIMEOUT = 30_000
/** A page of 100 large objects is a fiftieth of this. */
const MAX_ANSWER = 64 * 1024 * 1024
/** Below the 90 s after which an API server closes an idle connection, so that we never write into one that is going. */
const IDLE = 60_000
/**
 * So long after the last byte the kernel probes the peer of a watch, then every second, ten times: a dead host or path shows within 15 s.
 * Kernels answer each other, the API server does nothing for it; and firewalls do not forget the connection.
 */
const PROBE_AFTER = 5_000

export interface TransportOptions {
  readonly timers: Timers
  readonly maxSockets: number
}

export function createTransport(connection: Connection, { timers, maxSockets }: TransportOptions): Transport {
  const base = new URL(connection.server)
  const { Agent: Connections } = base.protocol === 'https:' ? https : http
  const forCalls = new Connections({ keepAlive: true, maxSockets, timeout: IDLE })
  // Watches hold their sockets for minutes: counted together with the calls, fifty of them would stop everything.
  const forStreams = new Connections({ keepAlive: true, timeout: IDLE })

  const open = async (call: Call, agent: Agent | false, deadline: CallDeadline): Promise<IncomingMessage> => {
    const credentials = await connection.credentials()
    const response = await exchange(requestOptions(connection, { base, call, credentials, agent }), call, deadline)
    if (response.statusCode !== 401) return response
    const others = await connection.credentials({ refused: true })
    if (others.token === credentials.token && others.cert === credentials.cert) return response
    response.resume()
    return exchange(requestOptions(connection, { base, call, credentials: others, agent }), call, deadline)
  }

  return {
    async send(call) {
      const deadline = deadlineOf(call, timers)
      try {
        // Node makes a connection for the one request where it is to keep none.
        const response = await open(call, call.newConnection ? false : forCalls, deadline)
        return await answerOf(response, call)
      } catch (error) {
        throw deadline.signal.aborted ? deadline.signal.reason : error
      } finally {
        deadline.release()
      }
    },
    async stream(call) {
      const deadline = deadlineOf(call, timers)
      try {
        const response = await open(call, forStreams, deadline)
        if (response.statusCode !== 200) await answerOf(response, call)
        deadline.stopClock()
        response.once('close', deadline.release)
        probe(response)
        return response
      } catch (error) {
        deadline.release()
        throw deadline.signal.aborted ? deadline.signal.reason : error
      }
    },
  }
}

/** The connection serves other requests later. */
function probe(response: IncomingMessage): void {
  const { socket } = response
  socket.setKeepAlive(true, PROBE_AFTER)
  // Else the reader would learn that it was aborted, and not why.
  const end = (cause: Error): void => void response.destroy(cause)
  socket.once('error', end)
  response.once('close', () => socket.off('error', end))
}

interface CallDeadline extends Deadline {
  /** The server is there, however long it takes for its answer. */
  readonly onMet: () => void
}

function deadlineOf(call: Call, timers: Timers): CallDeadline {
  const milliseconds = call.timeout ?? TIMEOUT
  let wasMet = false
  const error = () => unreachable(whatOf(call), { reason: 'Timeout', why: `no answer within ${milliseconds} ms`, wasMet })
  const onMet = () => {
    wasMet = true
  }
  return { ...startDeadline({ timers, milliseconds, error, signal: call.signal }), onMet }
}

function requestOptions(
  connection: Connection,
  { base, call, credentials, agent }: { base: URL; call: Call; credentials: Credentials; agent: Agent | false },
): RequestOptions {
  const { ca, cert, key, token } = credentials
  const query = new URLSearchParams(call.query).toString()
  return {
    protocol: base.protocol,
    hostname: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port,
    path: base.pathname.replace(/\/$/, '') + call.path + (query && `?${query}`),
    method: call.method,
    agent,
    headers: { accept: 'application/json', 'user-agent': 'nodewave', ...(token && { authorization: `Bearer ${token}` }) },
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(connection.tlsServerName && { servername: connection.tlsServerName }),
    ...(connection.insecureSkipTlsVerify && { rejectUnauthorized: false }),
  }
}

/** One request on the wire, until the headers of its answer; once more when a kept connection turned out to be closed. */
async function exchange(options: RequestOptions, call: Call, deadline: CallDeadline): Promise<IncomingMessage> {
  const { signal, onMet } = deadline
  const request = (options.protocol === 'https:' ? https : http).request({ ...options, signal })
  const body = call.body === undefined ? '' : JSON.stringify(call.body)
  if (body) request.setHeader('content-type', call.contentType ?? 'application/json')
  // Said always: for the body of a DELETE, Node would not say it.
  if (body) request.setHeader('content-length', Buffer.byteLength(body))
  // Aborted later, when the answer's body is being read, the request says so once more: nobody else listens then.
  request.on('error', () => {})
  request.on('response', onMet)
  // One that was handed on has shaken hands long ago.
  request.on('socket', (socket) => socket.connecting && socket.once('secureConnect', onMet))
  const response = once(request, 'response')
  request.end(body)
  try {
    return (await response)[0]
  } catch (cause) {
    if (request.reusedSocket && mayRepeat(call) && !signal.aborted) return exchange(options, call, deadline)
    throw unreachable(whatOf(call), { cause })
  }
}

/** Whether doing it twice is the same as doing it once: the server may have acted before the connection went. */
function mayRepeat(call: Call): boolean {
  return call.method !== 'POST' && call.contentType !== 'application/json-patch+json'
}

async function answerOf(response: IncomingMessage, call: Call): Promise<unknown> {
  const what = whatOf(call)
  const text = (await readAll(response, { what, maxBytes: MAX_ANSWER })).toString('utf8')
  const code = response.statusCode ?? 0
  if (code >= 300) throw statusError(what, { answer: parsed(text) ?? text, code, retryAfter: response.headers['retry-after'] })
  if (text === '') return undefined
  const answer = parsed(text)
  if (answer === undefined)
    throw unreachable(what, { reason: 'Unreadable', why: `the answer is not JSON: ${text.slice(0, 200)}` })
  return answer
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function whatOf(call: Call): string {
  return `${call.verb} "${call.path}"`
}
