/** The NodePool custom resource: the mirror of the repository's pool, written by the controller alone. */
export const POOL_CONDITIONS = ['Ready', 'Reconciling', 'Stalled'] as const
export type PoolConditionType = (typeof POOL_CONDITIONS)[number]

/** Why a pool is not Ready, or goes on. Stable: people alert on these words. */
export type PoolReason =
  | 'Completed'
  | 'RollingOut'
  | 'RollingBack'
  | 'Soaking'
  | 'Halted'
  | 'RolledBack'
  | 'Paused'
  | 'Uncordoning'
  | 'WaitingForBudget'
  | 'WaitingForWindow'
  | 'WaitingForPromotion'
  | 'WaitingForGate'
  | 'WaitingForDependency'
  | 'CommitNeedsPromotion'
  | 'FleetStopped'
  | 'CeilingExceeded'
  | 'Rebooting'
  | 'RebootFailed'
  | 'Draining'
  | 'DrainBlocked'
  | 'VersionSkew'
  | 'ControlPlaneUnhealthy'
  | 'RepositoryUnread'
  | 'InvalidRepository'
  | 'UntrustedCommit'
  | 'RenderFailed'
  | 'NodesFailed'
  | 'WriteRefused'
  | 'NodesDown'
  | 'NodeClaimedTwice'
  | 'NoEligibleNode'
  | 'UnmanagedNodes'
  | 'NoNodes'

export interface PoolCondition {
  readonly type: PoolConditionType
  readonly status: 'True' | 'False'
  readonly reason: PoolReason
  readonly message: string
  /** RFC 3339 */
  readonly lastTransitionTime: string
  readonly observedGeneration?: number
}

/** What the phases of a pool's nodes are called, in the order `kubectl` shows them. */
export const NODE_PHASES = [
  'Current',
  'Soaking',
  'Proving',
  'Applying',
  'Rebooting',
  'Assigned',
  'Draining',
  'Cordoned',
  'Waiting',
  'Skipped',
  'Joining',
  'Failed',
  'Held',
  'Leaving',
  'Unreachable',
  'Unmanaged',
] as const
export type NodePhase = (typeof NODE_PHASES)[number]

export interface RevisionRef {
  /** Commit id, in full. */
  readonly revision: string
  /** Digest of all that the pool renders from at this commit; two commits with equal content share it. */
  readonly fingerprint: string
  readonly author?: string
  readonly subject?: string
}

export interface HistoryEntry extends RevisionRef {
  /** Commits of equal content under which the rollout went on, at most twenty, the latest last; absent: none, or it ended without having completed. */
  readonly commits?: readonly string[]
  readonly startedAt: string
  readonly endedAt?: string
  /** Why it failed, if it did: the nodes themselves tell no more once they have been put back. */
  readonly message?: string
  /** The most nodes that were seen failed at one time in this run; absent: none. They forget it once they are given something else. */
  readonly failures?: number
  /** What failed since it completed; absent: nothing. */
  readonly laterFailures?: LaterFailures
  /** Machines that the content may break, or broke, while the rollout is under way; absent: none, or it is over. */
  readonly losses?: Losses
  /** RFC 3339; when an operator had the nodes that failed try the completed content once more. */
  readonly retriedAt?: string
  /** After it completed, the pool went back to older content: it has to prove itself again. */
  readonly abandoned?: true
  readonly result: 'Running' | 'Completed' | 'Superseded' | 'Halted' | 'RolledBack'
}

/** Nodes that failed at the content of a rollout after it had completed. */
export interface LaterFailures {
  /** Those that fail now; the first hundred, by name. */
  readonly nodes: readonly string[]
  /** How many machines failed and were replaced, since the content last worked on a new one; absent: none. */
  readonly replaced?: number
  /** RFC 3339; when the last of them was gone. */
  readonly since?: string
  /** Of the Nodes that count, those that are gone included, at most two hundred: one that comes back is known by it. */
  readonly uids?: readonly string[]
}

/** Broken machines are replaced, often before the time for their work is over. A Node that is gone tells nothing. */
export interface Losses {
  /** Nodes that failed, or that are not Ready for a minute in the middle of their change; the first hundred, by name. */
  readonly nodes: readonly LostNode[]
  /** Those that were replaced, or left the pool, in that state, at most a thousand: they have failed. */
  readonly replaced: readonly LostNode[]
}

export interface LostNode {
  readonly name: string
  /** Its wave, whose limit of failures counts it, too. */
  readonly wave?: string
  /** Of its Node: one that comes back to the pool was not replaced. */
  readonly uid?: string
}

/** What people do to a pool and its nodes by annotations. */
export const OPERATOR_ACTIONS = [
  'Pause',
  'Resume',
  'PauseFleet',
  'ResumeFleet',
  'Promote',
  'Retry',
  'Rollback',
  'EndRollback',
  'Hold',
  'Release',
  'Reconcile',
  'Reboot',
] as const
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number]

/** A status is kept in one object; of more held nodes than these the phases tell the count, and none is recorded. */
export const HELD_SHOWN = 50

/** A control that the controller noticed, and what came of it. */
export interface ControlRecord {
  readonly action: OperatorAction
  /** The reason or the commit that was given. */
  readonly value?: string
  /** Those held or released. */
  readonly nodes?: readonly string[]
  /** The name that the operator gave; absent for an unsigned annotation. */
  readonly who?: string
  /** RFC 3339; when it was asked, or else noticed. */
  readonly at: string
  readonly outcome: 'Done' | 'Refused'
  readonly message: string
}

/** The control annotations that have been acted on, as they stand: what is here already is no news. */
export interface ObservedControls {
  readonly paused?: string
  readonly fleetPaused?: string
  readonly promoted?: string
  readonly retry?: string
  readonly rollback?: string
  readonly reconcileAt?: string
}

/** A rollback that a person asked for: the pool stays with `to` until the repository says something else than `from`. */
export interface RequestedRollback {
  readonly to: RevisionRef
  /** The newest commit when it was asked. */
  readonly from: RevisionRef
  readonly who?: string
  readonly at: string
}

/** What an operator approved by naming a commit: the content that it renders to in this pool. */
export interface Approval {
  /** As the annotation says. */
  readonly value: string
  readonly fingerprint: string
  /** `startedAt` of the rollout that it counts for; absent: that has not begun. */
  readonly rollout?: string
}

export interface HeldNode {
  readonly node: string
  readonly reason: string
  readonly who?: string
  readonly at?: string
}

/**
 * Required: the host wants a reboot, and the policy lets nobody but an operator order it. Waiting: its turn comes. Rebooting: it was ordered.
 * Failed: it was ordered, and the machine did not reboot, or did not come back.
 */
export const REBOOT_STATES = ['Required', 'Waiting', 'Rebooting', 'Failed'] as const

/** A node that has to reboot. */
export interface NodeReboot {
  readonly node: string
  readonly state: (typeof REBOOT_STATES)[number]
  /** What the operator or the host gives as the reason. */
  readonly because: string
  /** RFC 3339; when it was ordered. */
  readonly since?: string
  readonly who?: string
  /** RFC 3339; when the operator asked. */
  readonly at?: string
}

/**
 * Recording: what is already unavailable is to be taken down before the wave. Recorded: it is, and the wave may begin. Waiting: the wave is
 * done, and the gate has not held yet.
 */
export const GATE_STATES = ['Recording', 'Recorded', 'Waiting', 'Passed', 'Failed'] as const

export interface GateStatus {
  readonly name: string
  /** The wave after which the gate must pass. */
  readonly wave: string
  readonly revision: string
  /** `startedAt` of the run that it belongs to: what it said of another one counts for nothing. */
  readonly rollout: string
  /** Hash of what was checked: what another query said counts for nothing. Absent: an earlier release wrote it. */
  readonly check?: string
  readonly state: (typeof GATE_STATES)[number]
  /** RFC 3339; its timeout counts from here. */
  readonly since: string
  /** RFC 3339; when it was last asked. */
  readonly askedAt?: string
  /** Number of checks in a row that could not run. */
  readonly unanswered?: number
  /** What was measured, if that is a finite number. */
  readonly value?: number
  readonly message?: string
  /**
   * Workloads that were unavailable before the wave: `DaemonSet kube-system/cni 3` if three of its pods were. Recording: those that were so before
   * a rollout which did not complete; what is available again by now goes.
   */
  readonly before?: readonly string[]
  /** RFC 3339; when that was so. */
  readonly recordedAt?: string
  /** Recorded: the wave has begun since, and it is not noted again. */
  readonly begun?: true
}

export interface FailedNode {
  readonly node: string
  readonly reason: string
  readonly message: string
}

/** The wave that was opened last. */
export interface WaveStatus {
  readonly index: number
  readonly count: number
  readonly name: string
  /** Names of the waves that were opened, in order. Absent: an earlier release wrote the status. */
  readonly opened?: readonly string[]
  /** Of the waves up to this one that are percentages or selectors: how many nodes that was when they opened. */
  readonly sizes?: readonly { readonly name: string; readonly nodes: number }[]
  /** RFC 3339; when the last of its nodes had soaked. Absent: some have not, or nothing waits for that. */
  readonly soakedAt?: string
}

export interface NodePoolStatus {
  readonly observedGeneration?: number
  /** The newest commit read from the branch, valid or not. */
  readonly observedRevision?: string
  /** The newest commit that was accepted, whether or not the pool follows it. Absent: an earlier release wrote the status. */
  readonly acceptedRevision?: string
  /** The revision that nodes change to. After a rollback it is not the newest commit. */
  readonly target?: RevisionRef
  /** What every node of the pool completed last, or what a return was leading to when another commit came. */
  readonly stable?: RevisionRef
  /** `index` counts from 1; absent when no rollout is under way. */
  readonly wave?: WaveStatus
  readonly nodes: {
    readonly total: number
    readonly current: number
    readonly byPhase: Readonly<Partial<Record<NodePhase, number>>>
  }
  readonly failed: readonly FailedNode[]
  /** Commits that failed in this pool. They are tried again only after nodewave retry. Newest first, at most 10. */
  readonly rejected: readonly RevisionRef[]
  readonly observedControls?: ObservedControls
  readonly rollback?: RequestedRollback
  /** The content that may enter manual waves. */
  readonly promotion?: Approval
  /** The content that continues in spite of failures in the fleet. */
  readonly fleetRetry?: Approval
  /** Rollback targets: revisions that are kept in the cluster and did not fail here. Newest first. */
  readonly rollbackTo: readonly RevisionRef[]
  /** By name, at most 50. */
  readonly held: readonly HeldNode[]
  /** Nodes that have to reboot, by name, at most 50. Absent: none. */
  readonly reboots?: readonly NodeReboot[]
  /** Recent operator actions, newest first, at most 10. */
  readonly controls: readonly ControlRecord[]
  /** What the gates of the last run that had any have said, the newest at the end; before that, records of runs that did not complete. */
  readonly gates?: readonly GateStatus[]
  /** Newest first, at most 10. */
  readonly history: readonly HistoryEntry[]
  readonly conditions: readonly PoolCondition[]
  /** What the table of `kubectl get` shows: its columns can pick a member, not shorten or join. */
  readonly summary?: {
    readonly revision: string
    readonly wave: string
    readonly updated: string
    /** What is paused; absent when nothing is. */
    readonly paused?: 'Pool' | 'Fleet'
  }
}
