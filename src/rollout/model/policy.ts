import type { Window } from '../../calendar/window.ts'
import type { NodeSelector } from '../../protocol/node-selector.ts'

/** A count of nodes, or a part of the pool: `20%` reads as `{ percent: 20 }`. */
export type Share = { readonly count: number } | { readonly percent: number }

/** How a pool is rolled. Durations are milliseconds. */
export interface RolloutPolicy {
  readonly waves: readonly WavePolicy[]
  readonly maxUnavailable: Share
  readonly maxFailures: Share
  readonly onFailure: 'Halt' | 'Rollback'
  readonly gates?: readonly GatePolicy[]
  readonly drain: DrainPolicy
  /** Absent: no pod proves a node. */
  readonly proof?: ProofPolicy
  /** OneAtATime: no node is taken while nodes of another zone are unavailable by the rollout. */
  readonly zones: 'Any' | 'OneAtATime'
  /** Absent: machines reboot when an operator asks, or a change needs it. */
  readonly reboot?: RebootPolicy
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
  /** The same of pools of other clusters. */
  readonly dependsOnClusters?: readonly PoolOfCluster[]
  /** Allow: everybody who may patch a Node of the pool may assign it by hand; absent: the break-glass group alone. */
  readonly byHand?: 'Allow'
}

export interface PoolOfCluster {
  readonly cluster: string
  readonly pool: string
}

export interface WavePolicy {
  readonly name: string
  /** How many nodes, or which ones. What no wave takes forms a last one, `rest`. */
  readonly nodes: Share | NodeSelector
  /** Milliseconds that the wave must stay healthy before the next one opens. */
  readonly soak: number
  readonly manual: boolean
  /** Failed nodes of the wave that are tolerated; absent: only the pool's limit counts. */
  readonly maxFailures?: Share | undefined
}

export interface DrainPolicy {
  /** Auto: where the change wants it. Always: before every change that disturbs the node. */
  readonly mode: 'Auto' | 'Always' | 'Never'
  /** Milliseconds from the cordon. */
  readonly timeout: number
  /** Wait: the node stays cordoned, and the drain goes on. Proceed: it is changed with the pods that are left. Skip: it is uncordoned, and comes later. */
  readonly onTimeout: 'Wait' | 'Proceed' | 'Skip'
  readonly deleteEmptyDirData: boolean
  /** Evict pods without a controller that replaces them. */
  readonly force: boolean
  /** Absent: as each pod says. */
  readonly gracePeriodSeconds?: number | undefined
}

/** When machines reboot that say that they have to. */
export interface RebootPolicy {
  /** Never: when an operator asks. InWindows: in their turn, while nodes may be selected. */
  readonly whenRequired: 'Never' | 'InWindows'
  /** Milliseconds that a reboot may take, besides the time for the change. */
  readonly timeout: number
}

/** A pod that has to run on a changed node before the node counts as done. */
export interface ProofPolicy {
  /** Auto: after changes that disturb the node. Always: after every change. */
  readonly mode: 'Auto' | 'Always' | 'Never'
  /** Absent: a pause image that the node has; a node that shows none is not proved. */
  readonly image?: string | undefined
  readonly command?: readonly string[] | undefined
  /** PersistentVolumeClaim that the pod mounts. */
  readonly claim?: string | undefined
  /** Milliseconds from when the pod was made. */
  readonly timeout: number
}

/** Something that must hold after a wave before the rollout goes on. Durations are milliseconds. */
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
