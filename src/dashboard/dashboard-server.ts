import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type Listening, listen } from '../http/listen.ts'
import type { FleetView } from './fleet-view.ts'
import type { PlanView } from './plan-view.ts'
import { MAX_VIEWERS, type Viewer, Viewers } from './viewers.ts'

/** What the page shows. All are undefined while another controller leads. */
export interface DashboardSource {
  readonly fleet: () => FleetView | undefined
  /** Rows of what is known of a node. */
  readonly node: (name: string) => readonly (readonly [string, string])[] | undefined
  /** Of the commit that waits in a pool, or is under way; undefined: there is none. */
  readonly plan: (pool: string) => Promise<PlanView | undefined>
}

export interface DashboardOptions {
  readonly port: number
  readonly source: DashboardSource
}

/**
 * Only this machine can reach it: `kubectl port-forward` gets there with a right that the API server judges. So no address can be chosen.
 */
const HOST = '127.0.0.1'
/** Milliseconds between looks, while somebody looks at the page. */
const REFRESH = 500
const LIMITS = { requestTimeout: 5_000, headersTimeout: 5_000, keepAliveTimeout: 5_000, connectionsCheckingInterval: 1_000 }

const PAGE = join(import.meta.dirname, 'page')
const SCRIPTS = [
  'page',
  'commands',
  'command-list',
  'dom',
  'fleet',
  'node-dialog',
  'plan',
  'plan-answer',
  'pool-card',
  'squares',
  'timeline',
  'timeline-marks',
]
const STYLES = ['page', 'parts']
const ASSETS: ReadonlyMap<string, { readonly file: string; readonly type: string }> = new Map([
  ['/', { file: 'index.html', type: 'text/html; charset=utf-8' }],
  ...SCRIPTS.map((name) => [`/${name}.js`, { file: `${name}.js`, type: 'text/javascript; charset=utf-8' }] as const),
  ...STYLES.map((name) => [`/${name}.css`, { file: `${name}.css`, type: 'text/css; charset=utf-8' }] as const),
])

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; img-src data:; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Serves the page. @throws when the port cannot be had. */
export async function startDashboard({ port, source }: DashboardOptions): Promise<Listening> {
  const viewers = new Viewers(source.fleet)
  const server = createServer({ ...LIMITS, maxHeaderSize: 16 * 1024 }, (request, response) => {
    serve({ request, response, source, viewers }).catch((error) => answer(response, { status: 500, body: `${error}\n` }))
  })
  server.maxConnections = 2 * MAX_VIEWERS
  const listening = await listen(server, { host: HOST, port }, { task: 'serve the dashboard at', option: '--dashboard-port' })
  const timer = setInterval(() => refreshOrEnd(viewers), REFRESH)
  return {
    port: listening.port,
    [Symbol.asyncDispose]: () => {
      clearInterval(timer)
      return listening[Symbol.asyncDispose]()
    },
  }
}

/** What cannot be shown must not end the process: that has other work than this page. */
function refreshOrEnd(viewers: Viewers): void {
  try {
    viewers.refresh()
  } catch {
    viewers.end()
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly source: DashboardSource
  readonly viewers: Viewers
}

async function serve({ request, response, source, viewers }: Exchange): Promise<void> {
  if (!isLocal(request.headers.host)) return answer(response, { status: 403, body: 'expected the host localhost\n' })
  if (request.method !== 'GET') return answer(response, { status: 405, body: 'expected GET\n' })
  const [path = ''] = (request.url ?? '').split('?')
  const asset = ASSETS.get(path)
  if (asset) return answer(response, { status: 200, type: asset.type, body: await readFile(join(PAGE, asset.file)) })
  if (path === '/events' && !viewers.makeRoom()) return answer(response, { status: 503, body: 'too many viewers\n' })
  if (path === '/events') return follow(response, viewers)
  const [, kind, name = ''] = /^\/(nodes|plans)\/([a-z0-9.-]{1,253})$/.exec(path) ?? []
  const found = kind === 'nodes' ? source.node(name) : kind === 'plans' ? await source.plan(name) : undefined
  if (found) return answer(response, { status: 200, type: 'application/json', body: JSON.stringify(found) })
  return answer(response, { status: 404, body: 'there is no such page, node or plan\n' })
}

/** A page of somebody else's that gives its own name the address of this machine does not get in. */
function isLocal(host: string | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host ?? '')
}

function follow(response: ServerResponse, viewers: Viewers): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' })
  const viewer: Viewer = {
    send: (event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end: () => response.destroy(),
  }
  response.on('close', () => viewers.remove(viewer))
  response.on('drain', () => viewers.drained(viewer))
  viewers.add(viewer)
}

interface Answer {
  readonly status: number
  readonly body: string | Buffer
  readonly type?: string
}

function answer(response: ServerResponse, { status, body, type = 'text/plain; charset=utf-8' }: Answer): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { ...HEADERS, 'content-type': type })
  response.end(body)
}
