import type { PoolReason } from '../../protocol/node-pool.ts'
import type { Instant } from './instant.ts'

/** Why something does not begin that otherwise would. What is under way ends all the same. */
export interface Blocker {
  readonly reason: PoolReason
  readonly message: string
  /** Nothing will change it but a person: the pool is Stalled. Otherwise it waits. */
  readonly stalls: boolean
  /** The control-plane node that is changed first, or is not well. */
  readonly byNode?: string | undefined
  /** When time alone may lift it. */
  readonly until?: Instant
  /** Nodes that join get what is proven all the same. */
  readonly sparesJoining?: boolean
  /** Nodes that still have the content which the pool went back from go back all the same. */
  readonly sparesReturning?: boolean
  /** Nodes that are cordoned for the target are uncordoned: no further node is to see it. Otherwise their drains end. */
  readonly stopsDrains?: boolean
}
