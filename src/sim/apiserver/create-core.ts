import type { ApiObject } from './api-object.ts'
import { runDisruptionController } from './budgets/disruption-controller.ts'
import type { Core } from './core.ts'
import { serveDefinitions } from './crd/definitions.ts'
import { emptyNamespaces } from './namespaces/empty-namespaces.ts'
import { finishPods } from './pods/finish-pods.ts'
import { namespaces } from './resources/plain.ts'
import { Registry } from './resources/registry.ts'
import { Snapshots } from './storage/snapshots.ts'
import { Store } from './storage/store.ts'
import { WatchHub } from './watch/watch-hub.ts'
import { seed } from './writes/create-object.ts'

export interface CoreOptions {
  /** Changes of each resource that a watch can catch up on; the default is 2,000. An older start gets 410. */
  readonly historyLimit?: number
  /** Paged lists that can be continued at a time; the default is 32. An older cursor gets 410. */
  readonly snapshotLimit?: number
  /** Milliseconds since the epoch; for stamps and ages. */
  readonly now?: () => number
  /** Keep the status of PodDisruptionBudgets true and empty deleted namespaces, as kube-controller-manager does; the default. */
  readonly controllers?: boolean
  /**
   * Called for every pod that is to end, in the kubelet's place: when it resolves, the pod is gone. Without it such pods stay until
   * somebody deletes them with a grace period of 0.
   */
  readonly onPodTerminating?: (pod: ApiObject) => void | Promise<void>
}

/** Namespaces that a cluster has from the start. */
const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** The server without its way over HTTP: what it stores, and the controllers that its options ask for. */
export function createCore(options: CoreOptions): Core {
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
