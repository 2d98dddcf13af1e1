import type { NodePhase } from '../../protocol/node-pool.ts'
import type { Blocker } from './blocker.ts'
import type { Candidate } from './candidate.ts'
import type { RolloutClock } from './deadlines.ts'
import type { Drain } from './drain.ts'
import type { Instant } from './instant.ts'
import type { WavePolicy } from './policy.ts'
import type { Rollout } from './rollout.ts'
import type { PoolSnapshot } from './snapshot.ts'

/** A node, what it is to become, and how far it is. */
export interface Member extends Candidate {
  /** How it stands with its cordon, when that matters. */
  readonly drain?: Drain | undefined
  /** When it was last selected, as the node shows. */
  readonly selectedAt: Instant | undefined
  /** It waits for its turn, or is done: nothing is under way on it, and the status counts it and says nothing else of it. Most are so. */
  readonly isAtRest: boolean
}

/** The nodes of the waves that are open, counted. */
export interface WaveProgress {
  readonly pending: number
  readonly current: number
  readonly total: number
  /** Of the last open wave alone. */
  readonly newest: { readonly total: number; readonly heard: number }
  /** Of later waves. */
  readonly beyond: number
  /** Of nodes that the target changes. `heard`: of the last open wave alone. */
  readonly changed: { readonly current: number; readonly heard: number; readonly beyond: number }
}

/** How many members are how far. */
export interface MemberCounts {
  readonly byPhase: ReadonlyMap<NodePhase, number>
  /** Something is still to happen to them. Of these, ongoing: that are not out of reach. */
  readonly pending: number
  readonly ongoing: number
  readonly waves: WaveProgress
}

/** What concerns a pool as a whole, whatever its nodes are at. */
export interface PoolContext {
  readonly pool: PoolSnapshot
  readonly now: Instant
  readonly rollout: Rollout
}

/** All that a decision about a pool is drawn from. */
export interface PoolState extends PoolContext {
  readonly waves: readonly WavePolicy[]
  /** Waves up to this index are open: below 0 before the first one opens, the number of waves when all have passed. */
  readonly open: number
  /** How many nodes the waves divide. */
  readonly divided: number
  readonly members: readonly Member[]
  /** Those that are not at rest: whoever looks for something special looks at these alone. */
  readonly notAtRest: readonly Member[]
  readonly counts: MemberCounts
  /** What every deadline of its nodes is counted by. */
  readonly clock: RolloutClock
  /** Why the pool selects no node now, if so. */
  readonly blocker: () => Blocker | undefined
}
