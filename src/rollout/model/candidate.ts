import type { RebootOrder } from '../../protocol/reboot-order.ts'
import type { Reported } from './availability.ts'
import type { Exposure } from './exposure.ts'
import type { NodeProgress } from './node-progress.ts'
import type { Proof } from './proof.ts'
import type { NodeTarget } from './snapshot.ts'

/** A member before it is known what its cordon means. */
export interface Candidate extends Reported {
  /** The commit that `wanted` is of. */
  readonly revision: string
  readonly wanted: NodeTarget
  /** What it is to become at the target; the same as `wanted`, unless it gets the stable content. */
  readonly target: NodeTarget
  /** What it may get now, and why. */
  readonly exposure: Exposure
  /** Index into the waves of the pool; absent for nodes that no wave counts. */
  readonly wave?: number | undefined
  readonly progress: NodeProgress
  /** How it stands with the pod that has to run on it; absent: none has to. */
  readonly proof?: Proof | undefined
  /** It is assigned `wanted` already, and need not be again: nor is it to reboot. */
  readonly assigned: boolean
  /** The target is other content than the stable revision: only such a node proves anything. */
  readonly changes: boolean
  /** This rollout has assigned it the target, perhaps as that was before its labels changed. */
  readonly isExposed: boolean
  /** It has the target from an earlier try of it, which did not complete, and has not failed with it. */
  readonly wasTried: boolean
  /** It is to be rebooted with its next assignment. */
  readonly reboot?: RebootOrder | undefined
  /** An unfinished rollout got at it, and it is not well: whatever the target, it needs it most. */
  readonly broken: boolean
}
