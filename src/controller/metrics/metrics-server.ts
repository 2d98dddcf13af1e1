import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Listening, listen } from '../../http/listen.ts'
import type { PrometheusTelemetry } from './prometheus-telemetry.ts'

export interface MetricsServerOptions {
  /** Absent: every address of this machine. */
  readonly host?: string
  readonly port: number
  readonly telemetry: Pick<PrometheusTelemetry, 'exposed' | 'isSynced'>
}

const MAX_CONNECTIONS = 32
/** Milliseconds. */
const LIMITS = { requestTimeout: 5_000, headersTimeout: 5_000, keepAliveTimeout: 5_000, connectionsCheckingInterval: 1_000 }

/**
 * `/metrics` for Prometheus, `/livez` and `/readyz` for the kubelet. Reads only; whoever can reach the port may ask.
 * @throws when the address cannot be had.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<Listening> {
  const server = createServer({ ...LIMITS, maxHeaderSize: 16 * 1024 }, listenerFor(options))
  keepNewest(server, MAX_CONNECTIONS)
  return listen(server, options, { task: 'serve metrics at', option: '--metrics-address' })
}

/** A new connection takes the place of the oldest one: clients that never read their answers must not keep the kubelet from its probe. */
function keepNewest(server: Server, most: number): void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const [oldest] = open
    if (open.size > most) oldest?.destroy()
  })
}

function listenerFor({ telemetry }: MetricsServerOptions): RequestListener {
  const expose = oneAtATime(telemetry.exposed)
  return async (request, response) => {
    if (request.method !== 'GET') return answer(response, { status: 405, text: 'expected GET\n' })
    switch (request.url?.split('?')[0]) {
      case '/metrics':
        return answer(response, await expose().then(({ type, text }) => ({ status: 200, type, text }), failed))
      case '/livez':
        return answer(response, { status: 200, text: 'ok\n' })
      case '/readyz':
        return telemetry.isSynced()
          ? answer(response, { status: 200, text: 'ok\n' })
          : answer(response, { status: 503, text: 'the cluster has not been read yet\n' })
      default:
        return answer(response, { status: 404, text: 'expected /metrics, /livez or /readyz\n' })
    }
  }
}

function failed(error: unknown): Answer {
  return { status: 500, text: `${(error as Error).message}\n` }
}

/** Who asks while an answer is made gets that one: the fleet is counted once, however many ask. */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly type?: string
}

function answer(response: ServerResponse, { status, text, type = 'text/plain; charset=utf-8' }: Answer): void {
  response.writeHead(status, { 'content-type': type })
  response.end(text)
}
