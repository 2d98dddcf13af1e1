import type { CordonMark } from '../../protocol/cordon-mark.ts'
import type { Disruption, NodeWas } from '../../protocol/desired-config.ts'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { NodeProof } from '../../protocol/node-proof.ts'
import type { RebootOrder } from '../../protocol/reboot-order.ts'
import type { Instant } from './instant.ts'
import type { GatePolicy } from './policy.ts'
import type { GateQuestion } from './snapshot.ts'

/** Something for the shell to do. Each is idempotent: done twice, or again by another replica, it changes nothing. */
export type Action =
  /** Write the node's configuration at `revision` and grant it so much disruption. */
  | {
      readonly kind: 'assign'
      readonly node: string
      readonly revision: string
      readonly digest: string
      readonly grant: Disruption
      /** Goes into REBOOT. */
      readonly reboot?: RebootOrder | undefined
      /** Goes into NODE_WAS. */
      readonly nodeWas?: NodeWas
      /** Goes into ASSIGNED. */
      readonly at: Instant
      /** A pod has to run on the node before it counts as done. */
      readonly proof?: Pick<NodeProof, 'podCapacity' | 'pauseImage' | 'pressures'>
    }
  | StartProof
  /** Remove the pod with this UID: it has proved its node, or is not needed any more. */
  | { readonly kind: 'removeProof'; readonly pod: { readonly name: string; readonly uid: string } }
  /** Note on the node what came of its proof: the pod will be gone. */
  | { readonly kind: 'recordProof'; readonly node: string; readonly proof: NodeProof }
  /** Find out what a gate says; the answer comes back with a later snapshot. Asked again while that is under way, nothing more is done. */
  | AskGate
  /** Mark the node, and cordon it unless somebody has (`mark.state` is Found). */
  | { readonly kind: 'cordon'; readonly node: string; readonly mark: CordonMark }
  /** Evict the pod with this UID; another one of that name is none of ours. */
  | {
      readonly kind: 'evict'
      readonly node: string
      readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string }
      readonly gracePeriodSeconds?: number
    }
  /** Take the mark off the node, or put another one in its place; with `lifts`, take back the cordon, which is ours. */
  | { readonly kind: 'uncordon'; readonly node: string; readonly lifts: boolean; readonly mark?: CordonMark }
  /** Let everybody who may patch the node assign it by hand, or the break-glass group alone. */
  | { readonly kind: 'allowByHand'; readonly node: string; readonly allowed: boolean }
  /** Remove the request of a person: the boot that it names has ended. */
  | { readonly kind: 'clearReboot'; readonly node: string }
  /** Remove the pool's annotation, if it still says this: it has been observed, or refused. */
  | { readonly kind: 'clearControl'; readonly control: 'retry' | 'rollback' | 'promoted'; readonly value: string }

/** Run a pod on a node. There is one a node at most: while another one is there, nothing is done. */
export interface StartProof {
  readonly kind: 'startProof'
  readonly pod: {
    readonly node: string
    readonly image: string
    readonly command?: readonly string[] | undefined
    readonly claim?: string | undefined
    readonly digest: string
    readonly assignedAt: Instant
    /** Milliseconds. */
    readonly timeout: number
    readonly at: Instant
  }
}

export interface AskGate {
  readonly kind: 'askGate'
  readonly gate: GatePolicy
  readonly question: GateQuestion
  readonly wave: string
  readonly revision: string
  /** `startedAt` of the rollout under way. */
  readonly rollout: string
  /** Hash of the gate's check. */
  readonly check: string
  /** Of this wave and those before. */
  readonly nodes: readonly string[]
  /** Workloads that were unavailable before the wave, or before the rollout that it takes the place of, and when that was so. Absent: nothing is recorded yet. */
  readonly before?: readonly string[]
  readonly recordedAt?: string
}

/** Reported to people once: the controller writes it as an Event on the object. */
export interface PoolEvent {
  readonly on: { readonly kind: 'pool' } | { readonly kind: 'node'; readonly name: string }
  readonly type: 'Normal' | 'Warning'
  /** CamelCase, stable. */
  readonly reason: string
  readonly message: string
}

/**
 * The status is written before any action is carried out, and nothing is done when that write fails: it is the journal. A node
 * that failed is evidence against a commit only until it is assigned something else; were a rollback carried out first and the
 * process to die, the next one would try the bad commit again.
 */
export interface Decision {
  readonly actions: readonly Action[]
  readonly events: readonly PoolEvent[]
  readonly status: NodePoolStatus
  /** When time alone can change the decision: end of a soak, of a timeout. */
  readonly wakeAt?: Instant | undefined
}
