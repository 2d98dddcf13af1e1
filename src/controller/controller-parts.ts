import type { ClusterCache } from './cache/cluster-cache.ts'
import type { Contact } from './clock/contact.ts'
import type { Decider } from './decider.ts'
import type { DrainWatch } from './drain/drain-watch.ts'
import type { EventRecorder } from './events/event-recorder.ts'
import type { AssumedNodes } from './execution/assumed-nodes.ts'
import type { LostPayloads } from './execution/lost-payloads.ts'
import type { PoolWrites } from './execution/pool-writes.ts'
import type { UnkeptProofs } from './execution/unkept-proofs.ts'
import type { UnmarkedCordons } from './execution/unmarked-cordons.ts'
import type { PoolRenderer } from './fleet/pool-renderer.ts'
import type { GarbageCollector } from './garbage/garbage-collector.ts'
import type { GateRunner } from './gates/gate-runner.ts'
import type { PoolMirror } from './node-pools/mirror-pools.ts'
import type { SettingsWatch } from './node-settings/settings-watch.ts'
import type { OtherClusters } from './other-clusters/other-clusters.ts'
import type { PayloadAccess } from './payload-access/payload-access.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import type { ProofWatch } from './proof/proof-watch.ts'
import type { ProofWrites } from './proof/proof-writes.ts'
import type { ReconcileRequests } from './reconcile-requests.ts'
import type { HeadIntake } from './revisions/head-intake.ts'
import type { Rejections } from './revisions/rejections.ts'
import type { RevisionLibrary } from './revisions/revision-library.ts'
import type { RevisionStore } from './revisions/revision-store.ts'
import type { NodeRoster } from './snapshot/node-roster.ts'
import type { PoolSnapshots } from './snapshot/pool-snapshots.ts'
import type { ClusterJournal } from './status/cluster-journal.ts'
import type { BackgroundWrites } from './writes/background-writes.ts'
import type { WriteFailures } from './writes/write-failures.ts'
import type { WriteLimit } from './writes/write-limit.ts'

/** The parts that passes work with. All they remember can be read again from the cluster. */
export interface ControllerParts {
  readonly ports: ControllerPorts
  readonly settings: ControllerSettings
  readonly cluster: ClusterCache
  readonly drains: DrainWatch
  readonly store: RevisionStore
  readonly rejections: Rejections
  readonly library: RevisionLibrary
  readonly intake: HeadIntake
  readonly renderer: PoolRenderer
  readonly requests: ReconcileRequests
  readonly snapshots: PoolSnapshots
  readonly roster: NodeRoster
  readonly decider: Decider
  readonly settingsWatch: SettingsWatch
  /** Of labels that name the pool, and of settings that others changed. */
  readonly limits: Readonly<Record<'label' | 'restore', WriteLimit>>
  readonly contact: Pick<Contact, 'unbrokenSince' | 'restoredAt' | 'watchedSince' | 'listedAt'>
  readonly assumed: AssumedNodes
  readonly cordons: UnmarkedCordons
  readonly lostPayloads: LostPayloads
  readonly unkeptProofs: UnkeptProofs
  readonly failures: WriteFailures
  readonly mirror: PoolMirror
  readonly journal: ClusterJournal
  readonly poolWrites: PoolWrites
  /** Absent: somebody else says who may read payloads. */
  readonly access: PayloadAccess | undefined
  readonly proofs: ProofWatch
  readonly proofWrites: ProofWrites
  readonly background: BackgroundWrites
  /** Resolves when everything that was begun has ended; begins nothing more. */
  readonly end: () => Promise<void>
  readonly events: EventRecorder
  readonly gates: GateRunner
  readonly otherClusters: OtherClusters
  readonly garbage: GarbageCollector
}
