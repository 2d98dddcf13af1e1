import type { ClusterCache } from './cache/cluster-cache.ts'
import type { GarbageCollector } from './config-maps/garbage-collector.ts'
import type { ReconcileRequests } from './controls/reconcile-requests.ts'
import type { Decider } from './decider.ts'
import type { DrainWatch } from './drain/drain-watch.ts'
import type { EventRecorder } from './events/event-recorder.ts'
import type { GateRunner } from './gates/gate-runner.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import type { HeadIntake } from './revisions/head-intake.ts'
import type { Rejections } from './revisions/rejections.ts'
import type { RevisionLibrary } from './revisions/revision-library.ts'
import type { RevisionStore } from './revisions/revision-store.ts'
import type { PoolRenderer } from './snapshot/pool-renderer.ts'
import type { PoolSnapshots } from './snapshot/pool-snapshots.ts'
import type { StatusWriter } from './status/status-writer.ts'

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
  readonly decider: Decider
  readonly statuses: StatusWriter
  readonly events: EventRecorder
  readonly gates: GateRunner
  readonly garbage: GarbageCollector
}
