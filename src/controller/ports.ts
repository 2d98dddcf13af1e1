import type { CommitStatuses } from '../forge/status/commit-status.ts'
import type { KubeApi } from '../kube/kube-api.ts'
import type { Channel } from '../notify/notification.ts'
import type { ClusterSettings } from './cache/cluster-settings.ts'
import type { Clock } from './clock/clock.ts'
import type { Compile } from './fleet/compiled-fleet.ts'
import type { GateChecks } from './gates/gate-check.ts'
import type { PrometheusAccess } from './gates/prometheus.ts'
import type { ElectionSettings } from './leadership/election.ts'
import type { Log } from './log/log.ts'
import type { Telemetry } from './metrics/telemetry.ts'
import type { OtherClusters } from './other-clusters/other-clusters.ts'
import type { RevertPlace } from './revert/revert-place.ts'
import type { Compression } from './revisions/compression.ts'
import type { HeadSource } from './revisions/head-source.ts'
import type { AssignmentSigner } from './signing/assignment-signer.ts'
import type { SendSpans } from './traces/tracer.ts'

/** Everything the controller needs of the outside, and the stages it runs. */
export interface ControllerPorts {
  readonly kube: KubeApi
  readonly source: HeadSource
  readonly compile: Compile
  readonly clock: Clock
  readonly log: Log
  /** Absent: assignments are not signed. */
  readonly signer?: AssignmentSigner
  /** Default: on threads. */
  readonly compression?: Compression
  /** Whom to show a token to when a gate asks it; absent: nobody. */
  readonly prometheus?: PrometheusAccess
  /** Where the pools are shown beside their commits, and what the names of these statuses begin with; absent: nowhere. */
  readonly commitStatuses?: { readonly statuses: CommitStatuses; readonly prefix: string }
  /** Where a commit that failed is reverted by a pull request; absent: nowhere. */
  readonly reverts?: RevertPlace
  /** The same as deployments of environments; absent: nowhere. */
  readonly deployments?: { readonly statuses: CommitStatuses; readonly prefix: string }
  /** Channels for notifications of rollouts and blockers; absent: none. */
  readonly notifications?: readonly Channel[]
  /** Who gets traces of rollouts; absent: nobody. */
  readonly traces?: SendSpans
  /** What other clusters have completed, for pools that depend on theirs; absent: nobody knows. Gets what wakes a pass. */
  readonly otherClusters?: (changed: () => void) => OtherClusters
  /** Gets the work that is done; absent: nothing does. */
  readonly telemetry?: Telemetry
  /** How gates are asked, where it is not to be done for real. */
  readonly gateChecks?: GateChecks
}

export interface ControllerSettings extends ClusterSettings {
  /** Where Jobs of gates run, and their templates are; absent: `nodewave-gates`. */
  readonly gatesNamespace?: string
  /** Absent: this process leads, and nobody else may run. */
  readonly election?: ElectionSettings
  /**
   * How many nodes and pods of a pool are acted on before it is assessed again; absent: 128. A longer list is cut, so that a failure which
   * the first ones show stops the rest: what is left is decided again.
   */
  readonly actionsAPass?: number
  /** How often mere counts of a pool's nodes are written, in milliseconds; absent: each second. */
  readonly countsEvery?: number
}
