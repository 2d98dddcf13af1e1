import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import type { PoolProposal } from '../selection/propose.ts'
import type { FleetBudget, FleetNodes } from './fleet-budget.ts'

/** What the arbiter has to know of a pool. */
export interface PoolClaim {
  readonly pool: PoolSnapshot
  /** What the pool remembers, this pass included. */
  readonly memory: Memory
  readonly proposal: PoolProposal
  /** Nodes that spend a place in the budgets, and that no work of ours makes available again. */
  readonly holders: readonly string[]
  /** It would change one of these, and is paused. */
  readonly isPaused: boolean
  /** Work on some node goes on. */
  readonly isWorking: boolean
}

export interface FleetClaims extends FleetNodes {
  readonly claims: ReadonlyMap<string, PoolClaim>
  /** Absent: each pool's own budget alone counts. */
  readonly budget: FleetBudget | undefined
}
