import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Listening, listen } from '../http/listen.ts'
import type { FleetView } from './fleet-view.ts'
import type { NodeChangesView } from './node-changes-view.ts'
import { answer, assetAt, HEADERS } from './page-assets.ts'
import type { PlanView } from './plan-view.ts'
import { refusalOf } from './refuse-foreign.ts'
import { MAX_VIEWERS, type Viewer, Viewers } from './viewers.ts'

/** What the page shows. All are undefined while another controller leads. */
export interface DashboardSource {
  readonly fleet: () => FleetView | undefined
  /** Rows of what is known of a node. */
  readonly node: (name: string) => readonly (readonly [string, string])[] | undefined
  /** Of the commit that waits in a pool, or is under way; undefined: there is none. */
  readonly plan: (pool: string) => Promise<PlanView | undefined>
  /** Of what is assigned to a node. Busy: ask again. */
  readonly changes: (node: string) => Promise<NodeChangesView | 'busy' | undefined>
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
export const LIMITS = {
  requestTimeout: 5_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
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
  const [path = ''] = (request.url ?? '').split('?')
  const refusal = refusalOf(request, path)
  if (refusal) return answer(response, refusal)
  if (request.method !== 'GET') return answer(response, { status: 405, body: 'expected GET\n' })
  const asset = await assetAt(path)
  if (asset) return answer(response, asset)
  if (path === '/events' && !viewers.makeRoom()) return answer(response, { status: 503, body: 'too many viewers\n' })
  if (path === '/events') return follow(response, viewers)
  const [, kind, name = ''] = /^\/(nodes|plans|changes)\/([a-z0-9.-]{1,253})$/.exec(path) ?? []
  const found = await foundOf(source, kind, name)
  if (found === 'busy') return answer(response, { status: 202, body: 'the controller has other work; ask again\n' })
  if (found) return answer(response, { status: 200, type: 'application/json', body: JSON.stringify(found) })
  return answer(response, { status: 404, body: 'there is no such page, node or plan\n' })
}

async function foundOf(source: DashboardSource, kind: string | undefined, name: string): Promise<object | 'busy' | undefined> {
  switch (kind) {
    case 'nodes':
      return source.node(name)
    case 'plans':
      return source.plan(name)
    case 'changes':
      return source.changes(name)
    default:
      return undefined
  }
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
