import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { type Listening, listen } from '../../http/listen.ts'
import { DeliveryLimits } from './delivery-limits.ts'
import { type Followed, judgeDelivery, type Verdict } from './judge-delivery.ts'
import { readBody } from './read-body.ts'

export const WEBHOOK_PATH = '/webhook'

/** PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Receiver extends Listening {
  /** From the next connection on. @throws when the two are no certificate with its key: the one before stays */
  useCertificate(certificate: Certificate): void
}

export interface ReceiverOptions extends Followed {
  /** Absent: every address of this machine. */
  readonly host?: string
  readonly port: number
  /** Absent: plain HTTP, for a proxy that speaks TLS in front of it. */
  readonly tls?: Certificate
  /** Asked for each delivery, so that a secret in a file may change. */
  readonly secrets: () => Promise<readonly string[]>
  readonly now: () => number
  /** Somebody pushed; called after the forge has its answer. */
  readonly onPush: () => void
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/** Bodies that are read at a time, from senders that nobody knows yet. */
const AT_ONCE = 4
/** Milliseconds. Forges wait 5 to 10 seconds for an answer. */
const LIMITS = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000, connectionsCheckingInterval: 1_000 }
/** Milliseconds. Whoever connects and says nothing holds one of few connections. */
const HANDSHAKE = 5_000

/** Listens for push events of a forge. @throws when the address cannot be had. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const listener = listenerFor(options)
  const settings = { ...LIMITS, maxHeaderSize: 16 * 1024 }
  const secure = options.tls && createTlsServer({ ...settings, handshakeTimeout: HANDSHAKE, ...options.tls }, listener)
  const server = secure ?? createServer(settings, listener)
  server.maxConnections = 64
  const listening = await listen(server, options, { task: 'listen for webhooks on', option: '--webhook-address' })
  return {
    ...listening,
    useCertificate(certificate) {
      createSecureContext(certificate)
      secure?.setSecureContext(certificate)
    },
  }
}

function listenerFor(options: ReceiverOptions): RequestListener {
  const limits = new DeliveryLimits()
  let reading = 0
  return async (request, response) => {
    const wait = limits.admit(options.now())
    if (wait !== undefined) return answer(response, { status: 429, says: 'too many requests', retryAfter: wait })
    if (request.url !== WEBHOOK_PATH) return answer(response, { status: 404, says: `expected POST ${WEBHOOK_PATH}` })
    if (request.method !== 'POST') return answer(response, { status: 405, says: `expected POST ${WEBHOOK_PATH}` })
    if (reading >= AT_ONCE) return answer(response, { status: 503, says: 'busy', retryAfter: 1 })
    reading += 1
    try {
      await take(request, response, { ...options, limits })
    } catch (error) {
      options.log('warn', `webhook: ${String(error)}`)
      answer(response, { status: 500, says: 'the delivery could not be judged; see the log of the controller' })
    } finally {
      reading -= 1
    }
  }
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  { limits, secrets, now, onPush, log, ...followed }: ReceiverOptions & { readonly limits: DeliveryLimits },
): Promise<void> {
  const body = await readBody(request)
  if (body === 'ended early') return
  if (body === 'too large') return answer(response, { status: 413, says: 'the body is too large; the next poll finds the push' })
  const verdict = judgeDelivery({ headers: request.headers, body }, { ...followed, secrets: await secrets(), now: now() })
  if (verdict.kind !== 'push') {
    log(verdict.kind === 'refused' ? 'warn' : 'info', `webhook: ${verdict.kind} a delivery: ${verdict.because}`)
    return answer(response, answerTo(verdict))
  }
  if (limits.isReplay(body)) return answer(response, { status: 200, says: 'ignored: it was delivered before' })
  log('info', `webhook: push to "${followed.refs}"; fetching`)
  answer(response, { status: 202, says: 'the repository is fetched' })
  onPush()
}

function answerTo(verdict: Exclude<Verdict, { kind: 'push' }>): Answer {
  return verdict.kind === 'refused'
    ? { status: verdict.status, says: verdict.because }
    : { status: 200, says: `ignored: ${verdict.because}` }
}

interface Answer {
  readonly status: number
  readonly says: string
  /** Seconds. */
  readonly retryAfter?: number
}

/** Whatever the sender still wants to say is not read. */
function answer(response: ServerResponse, { status, says, retryAfter }: Answer): void {
  if (response.headersSent || response.destroyed) return
  const again = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  const close = status >= 400 ? { connection: 'close' } : {}
  response.writeHead(status, { 'content-type': 'application/json', ...again, ...close })
  response.end(`${JSON.stringify({ message: says })}\n`)
}
