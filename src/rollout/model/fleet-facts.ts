import type { RequestedBy } from '../../protocol/requested-by.ts'

/** What a decision about one pool must know of the others. */
export interface FleetFacts {
  /** Somebody paused every pool, and why. */
  readonly paused?: string | undefined
  readonly pausedBy?: RequestedBy | undefined
  /** That pause stops drains under way, too. */
  readonly stopDrains?: true | undefined
  /** Why nobody goes on with the newest commit. */
  readonly stopped?: FleetStop | undefined
  /** The commit that an operator lets go on in spite of its failures. */
  readonly retry?: string | undefined
  /** Pools that this one depends on, and that have not completed the newest commit. */
  readonly awaited?: readonly Awaited[] | undefined
  /** Nodes that left the pool in the middle of a change, and that nodewave uncordons when their agents have ended the work. */
  readonly strayCordons?: readonly string[] | undefined
  /** What the API servers ask of kubelets; absent: nothing is known of any. */
  readonly skew?: SkewFacts | undefined
  /** This pool's nodes of the control plane, each with the reason why it may not be disturbed now, if there is one. */
  readonly controlPlane?: ReadonlyMap<string, ControlPlaneBlocker | undefined> | undefined
}

/** Too many nodes of the fleet failed at the newest commit. */
export interface FleetStop {
  readonly why: string
  /** Until the nodes that failed were read again, they may turn out to be others than they were known as: no drain is called off for that. */
  readonly isConfirmed: boolean
}

/** A pool that another one waits for. */
export interface Awaited {
  /** `staging/workers` is one of another cluster. */
  readonly pool: string
  /** The commit failed there, or the pool was rolled back: it does not complete without an operator. */
  readonly failed: boolean
  /** What the message says of it: "which is paused". Absent: that it failed, or has not completed the commit. */
  readonly why?: string
}

/** What the API servers ask of kubelets. Of several that differ, the oldest says how new one may be, the newest how old. */
export type SkewFacts =
  | { readonly kind: 'known'; readonly oldest: ApiServer; readonly newest: ApiServer }
  /** Any version might be too new for an API server that does not tell its own. */
  | { readonly kind: 'unknown'; readonly why: string }

/** An API server that was seen, and the version that it runs. */
export interface ApiServer {
  /** As people find it: the name of its pod, or "the API server" for one that answered for itself. */
  readonly name: string
  readonly version: string
}

/** Why a node of the control plane may not be disturbed now. */
export interface ControlPlaneBlocker {
  /** Its turn comes by itself, or something is wrong with the others. */
  readonly kind: 'turn' | 'sick'
  readonly message: string
  /** Which other node is changed, or is not well, if it is one. */
  readonly node?: string
  /** The node is down itself, and nothing of the control plane is seen well on it: what a rollout has broken there may be repaired. */
  readonly sparesBroken?: boolean
}
