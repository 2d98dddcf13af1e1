import { isIPv4 } from 'node:net'
import type { TlsFiles } from '../listener.ts'
import { Listener } from '../listener.ts'
import { type CoreOptions, createCore } from './create-core.ts'
import { Faults } from './server/faults.ts'
import { handleRequest } from './server/handle-request.ts'
import { kubeconfigFor } from './server/kubeconfig.ts'
import { RequestCounters } from './server/request-counters.ts'
import type { Store } from './storage/store.ts'

export interface ApiServerOptions extends CoreOptions {
  /** A loopback address: nobody is asked who they are. Default: 127.0.0.1. */
  readonly host?: string
  /** The default is any free port. */
  readonly port?: number
  /** HTTPS; without it plain HTTP, which belongs on the loopback only. */
  readonly tls?: TlsFiles
  /** Milliseconds between bookmarks; the default is a minute. */
  readonly bookmarkInterval?: number
}

export interface EmbeddedApiServer {
  readonly url: string
  /** YAML */
  kubeconfig(): string
  /** Everything stored: to look at, and to fill without the way over HTTP. */
  readonly store: Store
  readonly requests: RequestCounters
  readonly faults: Faults
  /** Open watches. */
  readonly watchCount: number
  /** Open watches stay open and silent for ever, as behind a dead link; new ones work. */
  stallWatches(): void
  /** Forgets the past: watches and page cursors from before get 410. */
  compact(): void
  /** Cuts every connection; new ones are taken. */
  breakConnections(): void
  /** An outage: connections are cut, new ones as they come. What is stored stays. */
  stop(): void
  /** The end of an outage, at the same address. */
  start(): void
  close(): Promise<void>
}

/** A Kubernetes API server in this process, its objects in memory: no etcd, no controllers but what the options say, no authorization. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<EmbeddedApiServer> {
  refuseReachable(options.host)
  const core = createCore(options)
  const faults = new Faults()
  const counters = new RequestCounters()
  const watch = { bookmarkInterval: options.bookmarkInterval ?? 60_000 }
  const listener = new Listener(
    { host: options.host ?? '127.0.0.1', port: options.port ?? 0, tls: options.tls },
    (message, response) => void handleRequest(message, response, { core, faults, counters, watch }),
  )
  await listener.open()
  return {
    url: listener.url,
    kubeconfig: () => kubeconfigFor(listener.url, options.tls),
    store: core.store,
    requests: counters,
    faults,
    get watchCount() {
      return core.watches.size
    },
    stallWatches: () => core.watches.muteAll(),
    compact: () => {
      core.store.compact()
      core.snapshots.clear()
    },
    breakConnections: () => listener.breakConnections(),
    stop: () => listener.goAway(),
    start: () => listener.comeBack(),
    close: () => listener.close(),
  }
}

function refuseReachable(host = '127.0.0.1'): void {
  if (host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))) return
  throw new Error(`refuse to listen on "${host}": the embedded API server authorizes nothing; use a loopback address`)
}
