import type { Peak } from '../sim/fleet/availability.ts'

/** What a rollout would be like. Instants are milliseconds since the epoch. */
export interface Simulation {
  readonly from: string
  readonly to: string
  readonly startsAt: number
  readonly endsAt: number
  /** Completed: every pool that the change concerns is done. Stuck: nothing happens any more by itself. Unfinished: the time that was given is over. */
  readonly outcome: 'Completed' | 'Stuck' | 'Unfinished'
  readonly pools: readonly SimulatedPool[]
  /** Nodes that were unavailable at one time, for whatever reason. */
  readonly peak: Peak
  readonly peakByZone: Readonly<Record<string, Peak>>
  readonly disruptions: Disruptions
  /** What was assumed. */
  readonly assumptions: readonly string[]
}

/** How far it has come at one of the instants at which something happens. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Of all pools. */
  readonly nodes: { readonly current: number; readonly total: number }
}

export interface SimulatedPool {
  readonly pool: string
  readonly nodes: number
  readonly steps: readonly Step[]
  /** What the pool said in the end. */
  readonly end: { readonly reason: string; readonly message: string }
  readonly isDone: boolean
}

/** From then on, and until the next one, this was so. */
export interface Step {
  readonly at: number
  /** As in the condition of the pool: RollingOut, Soaking, WaitingForWindow, Completed, … */
  readonly reason: string
  readonly wave?: { readonly index: number; readonly count: number; readonly name: string }
  /** Nodes that were given something in it. */
  readonly nodes: number
  readonly message: string
}

/** Nodes, by the greatest that they were granted; each time counts. */
export interface Disruptions {
  readonly none: number
  readonly restart: number
  readonly drain: number
  readonly reboot: number
  readonly podsEvicted: number
}
