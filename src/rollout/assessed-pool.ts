import type { NodeFacts } from './exposure/node-facts.ts'
import type { Division } from './exposure/open-waves.ts'
import type { PoolState } from './model/pool-state.ts'
import type { Indices } from './model/scattered.ts'

/** A pool that was assessed, with what the next assessment may take over. */
export interface AssessedPool extends PoolState {
  /** Where the nodes of the pool stand when they are scattered, which is the order of facts and members. */
  readonly order: Indices
  /** Of each member, at its index. */
  readonly facts: readonly NodeFacts[]
  readonly lastResort: Division['lastResort']
}
