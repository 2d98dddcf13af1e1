import type { KubeApi } from '../kube/kube-api.ts'
import type { DesiredConfig } from '../protocol/desired-config.ts'
import type { NodeContent } from '../protocol/digest.ts'
import type { Names } from '../protocol/names.ts'
import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'
import type { BlastLimits } from '../render/blast-radius.ts'
import type { Payload } from '../render/payload.ts'
import type { DisruptionRules } from '../repo/rollout-settings.ts'
import type { FleetPolicy } from '../rollout/decide-fleet.ts'
import type { Instant } from '../rollout/model/instant.ts'
import type { RolloutPolicy } from '../rollout/model/policy.ts'
import type { ClusterNode } from './cache/node-view.ts'
import type { Inquiries } from './gates/gate-check.ts'
import type { PrometheusAccess } from './gates/prometheus.ts'
import type { LeaseTimings } from './leadership/election.ts'
import type { Compression } from './revisions/compression.ts'

/** Everything the controller needs of the outside, and the stages it runs. */
export interface ControllerPorts {
  readonly kube: KubeApi
  readonly source: HeadSource
  readonly compile: Compile
  readonly clock: Clock
  readonly log: Log
  /** On threads unless told otherwise. */
  readonly compression?: Compression
  /** Whom to show a token to when a gate asks it; absent: nobody. */
  readonly prometheus?: PrometheusAccess
  /** How gates are asked, where it is not to be done for real. */
  readonly inquire?: Inquiries
}

export interface ControllerSettings {
  readonly names: Names
  /** Where payloads live, which nodes read. */
  readonly namespace: string
  /** Where accepted revisions live, which no node may read. */
  readonly revisionsNamespace: string
  /** Absent: this process leads, and nobody else may run. */
  readonly election?: ElectionSettings
  /**
   * How many nodes and pods of a pool are acted on before it is looked at anew; absent: 128. A longer list is cut, so that a failure which
   * the first ones show stops the rest: what is left is decided again.
   */
  readonly actionsAPass?: number
  /** How often mere counts of a pool's nodes are written, in milliseconds; absent: each second. */
  readonly countsEvery?: number
}

export interface ElectionSettings {
  /** Of this process alone, for as long as it runs. */
  readonly identity: string
  readonly timings: LeaseTimings
}

export interface Clock {
  now(): Instant
  /** Monotonic milliseconds: what durations are measured with. */
  elapsed(): number
  /** Resolves at `at`, or as soon as `signal` aborts; never rejects. */
  sleepUntil(at: Instant, signal: AbortSignal): Promise<void>
  /** Since when it is known to have run evenly: later than the last time it was put forward, or the process stood still. Absent: always. */
  steadySince?(): Instant | undefined
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** One branch of one repository. */
export interface HeadSource {
  /** Ends only by the signal. */
  follow(options: FollowHead): AsyncIterable<HeadEvent>
  /** Looks for news at once, instead of at the next poll. */
  look(): void
}

export interface FollowHead {
  readonly signal: AbortSignal
  /** The commit that the cluster keeps as the last accepted: a head must descend from it. */
  readonly lastAccepted: string | undefined
}

export type HeadEvent =
  | { readonly kind: 'head'; readonly snapshot: RepoSnapshot }
  /** There is a newer head, and it is not taken. */
  | { readonly kind: 'refused'; readonly commit: string; readonly message: string }
  /** The repository cannot be read now; being retried. */
  | { readonly kind: 'trouble'; readonly message: string }
  /** The repository was read again after trouble, and the head is as before. */
  | { readonly kind: 'mended' }

/** Loads and checks the documents of a commit. Never throws for what stands in them. */
export type Compile = (snapshot: RepoSnapshot) => CompiledFleet

export interface CompiledFleet {
  readonly commit: string
  readonly author: string
  readonly subject: string
  /** One line each, with file:line:column. Any: the commit is not accepted, and `pools` is empty. */
  readonly problems: readonly string[]
  readonly pools: ReadonlyMap<string, CompiledPool>
  readonly policy: FleetPolicy
  /** What a commit that follows this one may do at once. */
  readonly blastRadius: BlastLimits
  ownerOf(node: ClusterNode): Ownership
  /** All that is needed to compile it again. */
  readonly files: RepoSnapshot['files']
  /** How many accepted revisions are kept besides targets and stable ones. */
  readonly historyLimit: number
}

/** A node that several pools claim belongs to none of them. */
export type Ownership =
  | { readonly kind: 'owned'; readonly pool: string }
  | { readonly kind: 'contested'; readonly pools: readonly string[]; readonly message: string }
  | { readonly kind: 'unowned' }

/** One pool at one commit. */
export interface CompiledPool {
  readonly name: string
  /** What the NodePool object mirrors: plain JSON. */
  readonly spec: Readonly<Record<string, unknown>>
  readonly fingerprint: string
  readonly policy: RolloutPolicy
  readonly disruption: DisruptionRules
  render(node: ClusterNode): Rendered
}

export type Rendered = RenderedConfig | { readonly kind: 'problem'; readonly message: string }

export interface RenderedConfig {
  readonly kind: 'config'
  readonly digest: string
  readonly version?: string
  readonly content: NodeContent
  /** The annotation without REVISION, GRANT and ASSIGNED, which come with the assignment. */
  readonly desired: DesiredConfig
  readonly payloads: readonly Payload[]
}
