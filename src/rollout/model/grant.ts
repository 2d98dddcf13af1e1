/** What a pool may do of what it asked for. */
export interface Grant {
  readonly nodes: ReadonlySet<string>
  /** The fleet's budget was spent before all requests that the pool itself could pay for were granted. */
  readonly lacksFleetBudget: boolean
  /** The node that has the turn of the control plane, when another one was refused for it. */
  readonly turnOf?: string
}

/** Why the fleet's budget is spent, as the pool that waits for it reports. */
export interface FleetUse {
  /** How many nodes of the fleet may be unavailable. */
  readonly allowed: number
  readonly held: readonly HeldPlaces[]
  /** Other pools with work under way. */
  readonly sharedWith: readonly string[]
}

/** Nodes that hold places in the budget, and that no work of ours makes available again. */
export interface HeldPlaces {
  /** Absent: they belong to none. */
  readonly pool?: string
  readonly nodes: readonly string[]
  /** Their pool depends on the one that waits: neither goes on. */
  readonly waits: boolean
  readonly canRollBack: boolean
  /** Their pool would change one of them, and is paused. */
  readonly isPaused: boolean
}

/** What a pool was granted, and who has what it lacks. */
export interface PoolGrant extends Grant {
  readonly fleetUse?: FleetUse
  /** The control-plane node that the pool waits for, when no work of ours makes it available again. */
  readonly awaitedNode?: HeldPlaces | undefined
}
