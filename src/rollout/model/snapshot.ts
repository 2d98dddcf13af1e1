import type { Disruption } from '../../protocol/desired-config.ts'
import type { NodePoolStatus, ObservedControls, RevisionRef } from '../../protocol/node-pool.ts'
import type { RequestedBy } from '../../protocol/requested-by.ts'
import type { Ceiling } from './ceiling.ts'
import type { Awaited, FleetFacts } from './fleet-facts.ts'
import type { Instant } from './instant.ts'
import type { NodePods, NodeView, ProofPods } from './node-view.ts'
import type { RolloutPolicy } from './policy.ts'

/** What a gate was found to say. */
export interface GateAnswer {
  readonly gate: string
  readonly wave: string
  /** With the start of the rollout: two may begin in the same instant. */
  readonly revision: string
  readonly rollout: string
  /** Hash of what was checked: a commit may change that while the question is under way. */
  readonly check: string
  readonly question: GateQuestion
  readonly at: Instant
  /** NotPassed may pass later; Failed never will; Unanswered: the check could not run. */
  readonly verdict: 'Passed' | 'NotPassed' | 'Failed' | 'Unanswered'
  readonly value?: number | undefined
  readonly message: string
  /** To the question `before`: workloads that are unavailable. */
  readonly unavailable?: readonly string[] | undefined
}

/** How things stand before a wave, or whether they hold after it. */
export type GateQuestion = 'before' | 'after'

/** What a node is to become at one revision, as rendered. */
export type NodeTarget =
  | { readonly kind: 'config'; readonly digest: string; readonly version?: string; readonly disruption: Disruption }
  /** CeilingExceeded: an administrator forbids it. WriteRefused: the server refuses it, and it is not tried again yet. Absent: it could not be rendered. */
  | { readonly kind: 'problem'; readonly reason?: 'WriteRefused' | 'CeilingExceeded'; readonly message: string }

/** By name of the node. */
export type Targets = Pick<ReadonlyMap<string, NodeTarget>, 'get'> & Iterable<[string, NodeTarget]>

/** One commit, seen by one pool. */
export interface Revision extends RevisionRef {
  /** By node name; every node of the pool has an entry. */
  readonly wanted: Targets
  /** While this is the same object, nodes that are the same objects have the same targets. Absent: nothing is known of that. */
  readonly basis?: object | undefined
}

/** What the pool's status remembered, as it stands there; `NO_MEMORY` when there is none. */
export type Memory = Pick<
  NodePoolStatus,
  | 'target'
  | 'stable'
  | 'wave'
  | 'failed'
  | 'rejected'
  | 'observedControls'
  | 'rollback'
  | 'promotion'
  | 'fleetRetry'
  | 'held'
  | 'reboots'
  | 'controls'
  | 'gates'
  | 'history'
  | 'conditions'
>

export const NO_MEMORY: Memory = { failed: [], rejected: [], held: [], controls: [], history: [], conditions: [] }

/** The same pool while it remembers the same: in most passes nothing new is to be remembered. */
export function withMemory(pool: PoolSnapshot, memory: Memory): PoolSnapshot {
  return memory === pool.memory ? pool : { ...pool, memory }
}

/** What people ask of a pool, as the annotations stand; `by` says who, where they said so. */
export interface Controls extends Omit<ObservedControls, 'fleetPaused'> {
  /** A pause of the pool stops drains under way, too. */
  readonly stopDrains?: true
  readonly by?: { readonly [Control in keyof Omit<ObservedControls, 'fleetPaused'>]?: RequestedBy }
}

export interface PolicyPlaces {
  readonly maxUnavailable?: string
  readonly waves?: string
}

/** Everything `decide` may look at for one pool. */
export interface PoolSnapshot {
  readonly name: string
  readonly policy: RolloutPolicy
  readonly nodes: readonly NodeView[]
  /** Of nodes that bear a mark of ours and are cordoned, by name; absent: not read yet. */
  readonly pods?: ReadonlyMap<string, NodePods>
  /** Pods that prove nodes of the pool; absent: not read yet. */
  readonly proofs?: ProofPods
  /** The newest valid commit. */
  readonly head: Revision
  /** Revisions that a target may be besides the head: stable, what the status names, and what a rollback asks for. By commit. */
  readonly known: ReadonlyMap<string, Revision>
  readonly memory: Memory
  readonly controls: Controls
  /** Commits that the cluster keeps; a rollback can lead to these alone. Absent: those of `known`. */
  readonly kept?: ReadonlySet<string>
  /** Why no new revision can be taken from the repository now, if so; the pool then stays with its target. */
  readonly repositoryProblem?: string
  /** No valid commit has been read from the repository since this process leads: `head` is the newest one that the cluster remembers. */
  readonly repositoryUnread?: true
  /** Why the signatures of the newest commit of the repository do not suffice, if so; `head` is the one before. */
  readonly untrustedCommit?: string
  /** Why the newest commit of the repository is not taken before a person promotes it, if so; `head` is the one before. */
  readonly unpromotedCommit?: string
  /** One line for each node that another pool claims too: it belongs to neither, and is left alone. */
  readonly contested?: readonly string[]
  /** Since when the clock is known to run evenly; what began before counts from then on. Absent: it is trusted. */
  readonly steadySince?: Instant
  /** Since when this process has watched the cluster. Absent: long since. */
  readonly watchedSince?: Instant
  /** When it last listed all nodes, not knowing what had become of them. Absent: long since. */
  readonly listedAt?: Instant
  /** What the server refuses to write for nodes of the pool, in its own words. */
  readonly refusedWrites?: readonly { readonly node: string; readonly message: string }[]
  /** Why the server refuses to clear annotations of the pool that were observed, in its own words. */
  readonly refusedClear?: string
  /** What an administrator allows at most; absent: anything. */
  readonly ceiling?: Ceiling
  /** Where fields of the policy stand in the repository: `pools/workers.yaml:12`. */
  readonly places?: PolicyPlaces
  /** What gates have said since they were asked, as far as this process has heard. */
  readonly gateAnswers?: readonly GateAnswer[]
  /** Pools of other clusters that this one depends on, and that have not completed the newest commit. */
  readonly awaitedClusters?: readonly Awaited[]
  /** What the rest of the fleet means to this pool; absent where a pool is decided alone. */
  readonly fleet?: FleetFacts
}
