import type { Instant } from './instant.ts'

/** What is left of a budget; never negative. */
export interface Places {
  /** How many available nodes may become unavailable. */
  readonly places: number
  /** How many nodes that serve may become unavailable: available ones, and those that count as unavailable only until they report. */
  readonly servingPlaces: number
  /** How many nodes, serving or idle, may be changed. */
  readonly idlePlaces: number
}

/**
 * What a change takes of the budgets. Available: the node is available now. Serving: it counts as unavailable until its agent reports, but
 * runs what it is assigned. Idle: it is unavailable, but no work of ours disturbs it, and its pods may still run.
 */
export type Price = 'Nothing' | 'Idle' | 'Serving' | 'Available'

/**
 * What work is for. Over all pools, an earlier kind is served before a later one. The last two are granted only to a pool that asked for
 * places in a budget and got none, or whose zones keep it from asking. The last of all waits, too, for work in other pools that
 * gives places back.
 */
export const WORK_KINDS = ['finish', 'repair', 'rollback', 'forward', 'supersede', 'lastResort'] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/** One node that a pool asks to change now. */
export interface NodeRequest {
  readonly name: string
  readonly kind: WorkKind
  readonly price: Price
  /** A part of the control plane runs on it. */
  readonly isControlPlane: boolean
}

/** All that a pool asks for, the most urgent first. */
export interface Proposal<Request extends NodeRequest = NodeRequest> extends Places {
  readonly pool: string
  readonly requests: readonly Request[]
  /** It would ask for places in a budget, but for nodes that keep every other zone from beginning. */
  readonly isKeptByZones?: boolean
  /** When the pool was last granted something; absent: never. */
  readonly servedAt?: Instant | undefined
}
