import type { Window } from '../calendar/window.ts'
import type { AgentStatus } from '../protocol/agent-status.ts'
import type { AskedBy } from '../protocol/asked-by.ts'
import type { CordonMark } from '../protocol/cordon-mark.ts'
import type { Disruption } from '../protocol/desired-config.ts'
import type { HeededControls, NodePoolStatus, RevisionRef } from '../protocol/node-pool.ts'
import type { Hindrance } from './control-plane/control-plane.ts'
import type { SkewFacts } from './control-plane/skew.ts'
import type { Awaited } from './restraints/dependencies.ts'
import type { LyingDown } from './taking/fleet-budget.ts'

/** Milliseconds since the epoch, as the API server's and the agents' RFC 3339 stamps read. */
export type Instant = number

/** A count of nodes, or a part of the pool: `20%` reads as `{ percent: 20 }`. */
export type Share = { readonly count: number } | { readonly percent: number }

export interface WavePolicy {
  readonly name: string
  /** How many nodes, or which ones. What no wave takes forms a last one, `rest`. */
  readonly nodes: Share | { readonly matchLabels: Readonly<Record<string, string>> }
  /** Milliseconds that the wave must stay healthy before the next one opens. */
  readonly soak: number
  readonly manual: boolean
  /** Failed nodes of the wave that are put up with; absent: only the pool's limit counts. */
  readonly maxFailures?: Share | undefined
}

/** Something that must hold after a wave before the roll-out goes on. Durations are milliseconds. */
export interface GatePolicy {
  readonly name: string
  /** Names of the waves after which it is asked; absent: after each. */
  readonly after?: readonly string[] | undefined
  /** When it has not held for this long, it has failed. */
  readonly timeout: number
  readonly interval: number
  readonly check: GateCheck
}

export type GateCheck =
  /** Conditions that must be True, and such that must not be, on every node done so far. */
  | { readonly kind: 'nodeConditions'; readonly require: readonly string[]; readonly forbid: readonly string[] }
  | {
      readonly kind: 'prometheus'
      readonly url: string
      readonly query: string
      readonly min?: number | undefined
      readonly max?: number | undefined
    }
  /** A Job made from this CronJob, which must succeed. */
  | { readonly kind: 'job'; readonly cronJob: string }
  /** What was available before the wave must be after it; absent: in every namespace. */
  | { readonly kind: 'workloads'; readonly namespaces?: readonly string[] | undefined }

/** What a gate was found to say. */
export interface GateAnswer {
  readonly gate: string
  readonly wave: string
  readonly run: string
  readonly question: GateQuestion
  readonly at: Instant
  /** NotHeld may hold later; Failed never will; Unanswered: it could not be asked. */
  readonly verdict: 'Held' | 'NotHeld' | 'Failed' | 'Unanswered'
  readonly value?: number | undefined
  readonly message: string
  /** To the question `before`: workloads that are unavailable. */
  readonly unavailable?: readonly string[] | undefined
}

/** How things stand before a wave, or whether they hold after it. */
export type GateQuestion = 'before' | 'after'

/** How a pool is rolled. Durations are milliseconds. */
export interface RolloutPolicy {
  readonly waves: readonly WavePolicy[]
  readonly maxUnavailable: Share
  readonly maxFailures: Share
  readonly onFailure: 'Halt' | 'Rollback'
  readonly gates?: readonly GatePolicy[]
  readonly drain: DrainPolicy
  /** OneAtATime: no node is taken while nodes of another zone are unavailable by the roll-out. */
  readonly zones: 'Any' | 'OneAtATime'
  /** Whether nodes that somebody else cordoned are changed, or left as they are until they are uncordoned. */
  readonly cordoned: 'Skip' | 'Change'
  /** A node that has not ended the work this long after it was assigned counts as failed. */
  readonly applyTimeout: number
  /** Kubelets may go back over a minor, also to content that the pool never ran. */
  readonly allowDowngrade?: boolean
  /** An agent that has not said anything about its assignment after this long counts as failed; absent: `applyTimeout`. */
  readonly agentTimeout?: number | undefined
  /** When nodes may be taken; none: always. */
  readonly windows: readonly Window[]
  /** Going back after a failure does not wait for a window. */
  readonly rollbackOutsideWindows: boolean
  /** Names of pools that must have completed a commit before this one begins with it. */
  readonly dependsOn?: readonly string[]
}

export interface DrainPolicy {
  /** Auto: where the change wants it. Always: before every change that disturbs the node. */
  readonly mode: 'Auto' | 'Always' | 'Never'
  /** Milliseconds from the cordon. */
  readonly timeout: number
  /** Hold: the node stays cordoned, and is tried further. Proceed: it is changed with the pods that are left. Skip: it is uncordoned, and comes later. */
  readonly onTimeout: 'Hold' | 'Proceed' | 'Skip'
  readonly deleteEmptyDirData: boolean
  /** Evict pods that no controller will make anew. */
  readonly force: boolean
  /** Absent: as each pod says. */
  readonly gracePeriodSeconds?: number | undefined
}

/** What a node is to become at one revision, as rendered. */
export type Wanted =
  | { readonly kind: 'config'; readonly digest: string; readonly version?: string; readonly disruption: Disruption }
  | { readonly kind: 'problem'; readonly message: string }

/** One commit, seen by one pool. */
export interface Revision extends RevisionRef {
  /** By node name; every node of the pool has an entry. */
  readonly wanted: ReadonlyMap<string, Wanted>
}

/** A node of the pool, as the API server shows it: facts only, nothing concluded. */
export interface NodeView {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly zone: string
  readonly createdAt: Instant
  readonly ready: boolean
  /** When `ready` last changed. */
  readonly readySince: Instant
  readonly unschedulable: boolean
  /** From status.nodeInfo, without the leading `v`; the witness that nobody of ours writes. */
  readonly kubeletVersion: string
  readonly hold?: string
  /** Who wrote `hold`, or took it away. */
  readonly heldBy?: AskedBy
  /** What stands beside a cordon of ours; a cordon without it is somebody else's. */
  readonly mark?: CordonMark
  /** What the desired-config annotation says, when it is ours (it has DIGEST and POOL). */
  readonly assigned?: Assignment
  /** A desired-config that a person wrote, or one that is not readable: the node is left alone. */
  readonly assignedByHand: boolean
  readonly status?: AgentStatus
}

/** What is known of the pods on a node that is being drained. */
export type NodePods =
  | { readonly kind: 'known'; readonly pods: readonly PodView[] }
  /** They could not be read, and why. */
  | { readonly kind: 'unknown'; readonly why: string }

export interface PodView {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Kind of the owner that would make it anew: `ReplicaSet`, `DaemonSet`. */
  readonly controller?: string
  /** Of a static pod: only the kubelet itself can end that one. */
  readonly mirror: boolean
  readonly emptyDir: boolean
  /** Succeeded or Failed: nothing of it runs any more. */
  readonly finished: boolean
  /** It was told to go. */
  readonly terminating: boolean
  /** The server refused to evict it. */
  readonly refusal?: Refusal
}

export interface Refusal {
  readonly message: string
  /** Not to be asked before. */
  readonly until: Instant
  /** PodDisruptionBudgets that cover the pod; empty while they are not known. */
  readonly budgets: readonly PodBudget[]
}

export interface PodBudget {
  readonly name: string
  readonly desiredHealthy: number
  readonly currentHealthy: number
}

export interface Assignment {
  readonly digest: string
  readonly revision: string
  readonly pool: string
  readonly grant: Disruption
  /** ASSIGNED, when it can be read. */
  readonly at?: Instant
}

/** What the pool's status remembered, as it stands there; `NO_MEMORY` when there is none. */
export type Memory = Pick<
  NodePoolStatus,
  | 'target'
  | 'stable'
  | 'wave'
  | 'failed'
  | 'rejected'
  | 'heeded'
  | 'rollback'
  | 'held'
  | 'controls'
  | 'gates'
  | 'history'
  | 'conditions'
>

export const NO_MEMORY: Memory = { failed: [], rejected: [], held: [], controls: [], history: [], conditions: [] }

/** What people ask of a pool, as the annotations stand; `by` says who, where they said so. */
export interface Controls extends Omit<HeededControls, 'fleetPaused'> {
  readonly by?: { readonly [Control in keyof Omit<HeededControls, 'fleetPaused'>]?: AskedBy }
}

/** Everything `decide` may look at for one pool. */
export interface PoolSnapshot {
  readonly name: string
  readonly policy: RolloutPolicy
  readonly nodes: readonly NodeView[]
  /** Of nodes that bear a mark of ours and are cordoned, by name; absent: not read yet. */
  readonly pods?: ReadonlyMap<string, NodePods>
  /** The newest valid commit. */
  readonly head: Revision
  /** Revisions that a target may be besides the head: stable, what the status names, and what a roll-back asks for. By commit. */
  readonly known: ReadonlyMap<string, Revision>
  readonly memory: Memory
  readonly controls: Controls
  /** Commits that the cluster keeps; a roll-back can lead to these alone. Absent: those of `known`. */
  readonly kept?: ReadonlySet<string>
  /** Why no new revision can be taken from the repository now, if so; the pool then stays with its target. */
  readonly repositoryProblem?: string
  /** Why the newest commit of the repository is not taken before a person promotes it, if so; `head` is the one before. */
  readonly heldCommit?: string
  /** One line for each node that another pool claims too: it belongs to neither, and is left alone. */
  readonly contested?: readonly string[]
  /** Since when the clock is known to run evenly; what began before counts from then on. Absent: it is trusted. */
  readonly steadySince?: Instant
  /** What gates have said since they were asked, as far as this process has heard. */
  readonly gateAnswers?: readonly GateAnswer[]
  /** What the rest of the fleet means to this pool; absent where a pool is looked at alone. */
  readonly fleet?: FleetFacts
}

/** What a decision about one pool must know of the others. */
export interface FleetFacts {
  /** How many more nodes the fleet's own cap lets this pool make unavailable; absent: no cap. */
  readonly budget?: number
  /** Who has that used up for good. */
  readonly lying?: readonly LyingDown[]
  /** Somebody paused every pool, and why. */
  readonly paused?: string
  readonly pausedBy?: AskedBy
  /** Why nobody goes on with the newest commit. */
  readonly stopped?: string
  /** Pools that this one depends on, and that have not completed the newest commit. */
  readonly awaited?: readonly Awaited[]
  /** What the API servers ask of kubelets; absent: nothing is known of any. */
  readonly skew?: SkewFacts
  /** This pool's nodes of the control plane, each with the reason why it may not be disturbed now, if there is one. */
  readonly controlPlane?: ReadonlyMap<string, Hindrance | undefined>
}
