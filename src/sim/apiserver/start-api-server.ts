import type { ApiObject } from './api-object.ts'
import { runDisruptionController } from './budgets/disruption-controller.ts'
import type { Core } from './core.ts'
import { serveDefinitions } from './crd/definitions.ts'
import { emptyNamespaces } from './namespaces/empty-namespaces.ts'
import { finishPods } from './pods/finish-pods.ts'
import { namespaces } from './resources/plain.ts'
import { Registry } from './resources/registry.ts'
import { Faults } from './server/faults.ts'
import { handleRequest } from './server/handle-request.ts'
import { kubeconfigFor } from './server/kubeconfig.ts'
import type { TlsFiles } from './server/listener.ts'
import { Listener } from './server/listener.ts'
import { RequestCounters } from './server/request-counters.ts'
import { Snapshots } from './storage/snapshots.ts'
import { Store } from './storage/store.ts'
import { WatchHub } from './watch/watch-hub.ts'
import { seed } from './writes/create-object.ts'

export interface ApiServerOptions {
  /** The default is 127.0.0.1. */
  readonly host?: string
  /** The default is any free port. */
  readonly port?: number
  /** HTTPS; without it plain HTTP, which belongs on the loopback only. */
  readonly tls?: TlsFiles
  /** Changes of each resource that a watch can catch up on; the default is 2,000. An older start gets 410. */
  readonly historyLimit?: number
  /** Paged lists that can be continued at a time; the default is 32. An older cursor gets 410. */
  readonly snapshotLimit?: number
  /** Milliseconds between bookmarks; the default is a minute. */
  readonly bookmarkInterval?: number
  /** Milliseconds since the epoch; for stamps and ages. */
  readonly now?: () => number
  /** Keep the status of PodDisruptionBudgets true and empty deleted namespaces, as kube-controller-manager does; the default. */
  readonly controllers?: boolean
  /**
   * Told of every pod that is to end, in the kubelet's place: when it resolves, the pod is gone. Without it such pods stay until
   * somebody deletes them with a grace period of 0.
   */
  readonly onPodTerminating?: (pod: ApiObject) => void | Promise<void>
}

export interface ApiServer {
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
  /** An outage: connections cut, new ones refused. What is stored stays. */
  stop(): Promise<void>
  /** The end of an outage, at the same address. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Namespaces that a cluster has from the start. */
const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** A Kubernetes API server in this process, its objects in memory: no etcd, no controllers but what the options say, no authorization. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const core = createCore(options)
  const faults = new Faults()
  const counters = new RequestCounters()
  const watch = { bookmarkInterval: options.bookmarkInterval ?? 60_000 }
  const listener = new Listener(
    { host: options.host ?? '127.0.0.1', port: options.port ?? 0, tls: options.tls },
    (message, response) => void handleRequest(message, response, { core, faults, counters, watch }),
  )
  await listener.start()
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
    stop: () => listener.stop(),
    start: () => listener.start(),
    close: () => listener.stop(),
  }
}

function createCore(options: ApiServerOptions): Core {
  const core: Core = {
    store: new Store({ historyLimit: options.historyLimit ?? 2_000 }),
    registry: new Registry(),
    snapshots: new Snapshots(options.snapshotLimit ?? 32),
    watches: new WatchHub(),
    now: options.now ?? Date.now,
  }
  serveDefinitions(core)
  // Before the first write, so that no watch misses one.
  for (const { collection } of core.registry.all()) core.store.collection(collection)
  if (options.controllers ?? true) {
    runDisruptionController(core)
    emptyNamespaces(core)
  }
  if (options.onPodTerminating) finishPods(core, options.onPodTerminating)
  for (const name of NAMESPACES) seed(core, namespaces, { metadata: { name } })
  return core
}
