import type { Instant } from './instant.ts'

/** What is left of a budget; never negative. */
export interface Places {
  /** How many available nodes may become unavailable. */
  readonly places: number
  /** How many nodes, available or idle, may be changed. */
  readonly idlePlaces: number
}

/**
 * What work is for. Over all pools, an earlier kind is served before a later one; the last is granted only to a pool that asked
 * for places in a budget, and got none.
 */
export const WORK_KINDS = ['finish', 'repair', 'rollback', 'forward', 'lastResort'] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/** One node that a pool asks to change now. */
export interface NodeRequest {
  readonly name: string
  readonly kind: WorkKind
  /** The change makes a node unavailable that is available now. */
  readonly spends: boolean
  /** It counts as unavailable already, but no work of ours disturbs it, and its pods may still run. */
  readonly isIdle: boolean
  /** A part of the control plane runs on it. */
  readonly isControlPlane: boolean
}

/** All that a pool asks for, the most urgent first. */
export interface Proposal<Request extends NodeRequest = NodeRequest> extends Places {
  readonly pool: string
  readonly requests: readonly Request[]
  /** When the pool was last granted something; absent: not in this rollout. */
  readonly servedAt?: Instant
}
