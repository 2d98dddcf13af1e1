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
  readonly drain?: Drain
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
  /** What every deadline of its nodes is counted by. */
  readonly clock: RolloutClock
}
