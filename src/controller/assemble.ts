import { assembleWrites } from './assemble-writes.ts'
import type { ClusterCache } from './cache/cluster-cache.ts'
import type { Contact } from './clock/contact.ts'
import type { WakeSignal } from './clock/wake-signal.ts'
import type { ControllerParts } from './controller-parts.ts'
import { Decider } from './decider.ts'
import { DrainWatch } from './drain/drain-watch.ts'
import { EventRecorder } from './events/event-recorder.ts'
import { PoolRenderer } from './fleet/pool-renderer.ts'
import { GarbageCollector } from './garbage/garbage-collector.ts'
import { gateChecks } from './gates/gate-checks.ts'
import { GateRunner } from './gates/gate-runner.ts'
import { SettingsWatch } from './node-settings/settings-watch.ts'
import { NOBODY_TO_ASK } from './other-clusters/other-clusters.ts'
import { payloadAccess } from './payload-access/cluster-payload-access.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { ProofWatch } from './proof/proof-watch.ts'
import { ReconcileRequests } from './reconcile-requests.ts'
import { newestAccepted } from './revisions/accepted-commits.ts'
import { commitGuard } from './revisions/commit-guard.ts'
import { HeadIntake } from './revisions/head-intake.ts'
import { Rejections } from './revisions/rejections.ts'
import { RevisionLibrary } from './revisions/revision-library.ts'
import { RevisionSecrets } from './revisions/revision-secrets.ts'
import { RevisionStore } from './revisions/revision-store.ts'
import { HashKey } from './secrets/hash-key.ts'
import { SecretTaker } from './secrets/secret-taker.ts'
import { NodeRoster } from './snapshot/node-roster.ts'
import { PoolSnapshots } from './snapshot/pool-snapshots.ts'
import { WriteLimit } from './writes/write-limit.ts'

export interface AssembleOptions {
  readonly ports: ControllerPorts
  readonly settings: ControllerSettings
  readonly cluster: ClusterCache
  readonly contact: Contact
  readonly wake: WakeSignal
  readonly signal: AbortSignal
}

/** The parts of a controller that leads, with nothing in their memory. */
export function assemble({ ports, settings, cluster, contact, wake, signal }: AssembleOptions): ControllerParts {
  const { kube, clock, compile, log, compression } = ports
  const payloads = { kube, namespace: settings.namespace, configMaps: cluster.payloads }
  const secrets = { ...payloads, configMaps: cluster.secrets, kind: 'Secret' } as const
  const access = settings.payloadReaders === 'all' ? undefined : payloadAccess({ kube, namespace: settings.namespace, cluster })
  const revisions = { kube, namespace: settings.revisionsNamespace, configMaps: cluster.revisions }
  const kept = new RevisionSecrets({ ...revisions, configMaps: cluster.revisionSecrets, kind: 'Secret' })
  const { secretsNamespace } = settings
  const store = new RevisionStore({
    ...revisions,
    compression,
    now: () => clock.now(),
    secrets: secretsNamespace === undefined ? undefined : kept,
  })
  const taker =
    secretsNamespace === undefined
      ? undefined
      : new SecretTaker({
          namespace: secretsNamespace,
          secrets: cluster.hostSecrets,
          key: new HashKey({ kube, namespace: settings.revisionsNamespace }),
        })
  const library = new RevisionLibrary({ store, compile, log })
  const acceptedAt = (commit: string) => store.list().find((revision) => revision.commit === commit)?.acceptedAt
  const renderer = new PoolRenderer()
  const rejections = new Rejections(revisions)
  const drains = new DrainWatch({ ...ports, signal, changed: wake.fire })
  const proofs = new ProofWatch({ ...ports, signal, changed: wake.fire })
  const events = new EventRecorder({ kube, log })
  const checks = ports.gateChecks ?? gateChecks({ ports, settings, cluster })
  const gates = new GateRunner({ gateChecks: checks, clock, signal, changed: wake.fire })
  const otherClusters = ports.otherClusters?.(wake.fire) ?? NOBODY_TO_ASK
  const limits = { label: new WriteLimit(), restore: new WriteLimit() }
  return {
    otherClusters,
    ...{ ports, settings, cluster, contact, drains, proofs, store, rejections, library, renderer, events, gates },
    intake: new HeadIntake({
      ...{ compile, store, library, log, taker, guard: commitGuard({ cluster, renderer }) },
      newestAccepted: (kept) => newestAccepted({ pools: cluster.pools.items, nodes: cluster.nodes.items, acceptedAt }, kept),
    }),
    requests: new ReconcileRequests(cluster.pools.items.values()),
    snapshots: new PoolSnapshots(),
    roster: new NodeRoster(),
    decider: new Decider(),
    settingsWatch: new SettingsWatch(limits.restore),
    limits,
    access,
    garbage: new GarbageCollector({ cluster, store, renderer, payloads: [payloads, secrets], access }),
    ...assembleWrites({
      ports,
      settings,
      cluster,
      drains,
      gates,
      rejections,
      events,
      proofs,
      access,
      limits,
      changed: wake.fire,
    }),
  }
}
