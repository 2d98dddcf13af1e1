import type { AgentStatus } from '../../protocol/agent-status.ts'
import type { CordonMark } from '../../protocol/cordon-mark.ts'
import type { Disruption, NodeWas } from '../../protocol/desired-config.ts'
import type { NodeProof } from '../../protocol/node-proof.ts'
import type { RebootOrder, RebootRequest } from '../../protocol/reboot-order.ts'
import type { RequestedBy } from '../../protocol/requested-by.ts'
import type { Instant } from './instant.ts'

/**
 * A node of the pool, as the API server shows it: facts only, nothing concluded. What is absent is there as undefined: thousands of objects
 * of one shape are read in each pass.
 */
export interface NodeView {
  readonly name: string
  /** Another machine of the same name has another one. Absent: the node is only imagined. */
  readonly uid?: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly zone: string
  readonly createdAt: Instant
  readonly ready: boolean
  /** When `ready` last changed. */
  readonly readySince: Instant
  /** `ready` was said before the agent restarted the kubelet that runs now. */
  readonly staleReady?: true | undefined
  /** Nothing is heard from its kubelet: Ready is Unknown. */
  readonly silent?: true | undefined
  /** A taint says that somebody shut its machine down. */
  readonly shutDown?: true | undefined
  /** Id of the boot that its kubelet runs in; another one after each reboot. Absent: it reports none. */
  readonly bootId?: string | undefined
  /** What a person asks for, and who that is. */
  readonly rebootRequest?: RebootRequest | undefined
  readonly rebootBy?: RequestedBy | undefined
  readonly unschedulable: boolean
  /** It is being deleted. */
  readonly leaving?: boolean | undefined
  /** Conditions of pressure that are True, such as DiskPressure. */
  readonly pressures?: readonly Pressure[] | undefined
  /** From status.nodeInfo, without the leading `v`; the witness that nobody of ours writes. */
  readonly kubeletVersion: string
  readonly hold?: string | undefined
  /** Who wrote `hold`, or took it away. */
  readonly heldBy?: RequestedBy | undefined
  /** What stands beside a cordon of ours; a cordon without it is somebody else's. */
  readonly mark?: CordonMark | undefined
  /** What the desired-config annotation says, when it is ours (it has DIGEST and POOL). */
  readonly assigned?: Assignment | undefined
  /** A desired-config that a person wrote, or one that is not readable: the node is left alone. */
  readonly assignedByHand: boolean
  /** The admission policy takes a desired-config from everybody who may patch it. */
  readonly byHandAllowed?: true | undefined
  readonly status?: AgentStatus | undefined
  /** The proof by a pod, as the controller noted it; perhaps of an earlier assignment. */
  readonly proof?: NodeProof | undefined
  /** A pause image that the node has. */
  readonly pauseImage?: string | undefined
  /** How many pods the kubelet takes. */
  readonly podCapacity?: number | undefined
}

export interface Pressure {
  readonly type: string
  readonly since: Instant
}

export interface Assignment {
  readonly digest: string
  readonly revision: string
  readonly pool: string
  readonly grant: Disruption
  /** The boot that had to end with it. */
  readonly reboot?: RebootOrder | undefined
  /** NODE_WAS; absent: well. */
  readonly nodeWas?: NodeWas | undefined
  /** ASSIGNED, when it can be read. */
  readonly at?: Instant | undefined
  /** COUNTER, or what stands for it; absent: nothing does. */
  readonly counter?: number | undefined
  /** When its Node was made, with annotations of another one, from which it came: its agent has said nothing of it yet. */
  readonly copiedAt?: Instant | undefined
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
  /** Kind of the owner that would create it again: `ReplicaSet`, `DaemonSet`. */
  readonly controller?: string
  /** Of a static pod: only the kubelet itself can end that one. */
  readonly mirror: boolean
  readonly emptyDir: boolean
  /** Succeeded or Failed: nothing of it runs any more. */
  readonly finished: boolean
  /** Its eviction was accepted. */
  readonly terminating: boolean
  /** The server is being asked to evict it. */
  readonly asked?: boolean
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

/** A pod that proves a node. */
export interface ProofPod {
  readonly node: string
  readonly name: string
  readonly uid: string
  /** Of the assignment that it proves. */
  readonly digest: string
  readonly assignedAt: Instant
  /** By the clock of the controller that made it. */
  readonly startedAt: Instant
  readonly state: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  /** It runs a command, or no pause image: that its container runs proves nothing yet. */
  readonly hasToEnd?: true
  /** The kubelet rejected it because the node has as many pods as it takes. */
  readonly hasNoRoom?: true
  /** The kubelet rejected or evicted it because the node is under pressure. */
  readonly wasEvicted?: true
  /** What kubelet, runtime and container say of it. */
  readonly message?: string
}

/** What is known of the pods that prove nodes, by node. */
export type ProofPods =
  | { readonly kind: 'known'; readonly pods: ReadonlyMap<string, ProofPod> }
  /** They could not be read, and why. */
  | { readonly kind: 'unknown'; readonly why: string }
