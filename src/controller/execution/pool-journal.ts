import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { Decision } from '../../rollout/model/decision.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodesByName } from '../cache/node-list.ts'
import type { CompiledPool, RenderedConfig } from '../fleet/compiled-fleet.ts'

/** The decision about one pool, and what it was drawn from. */
export interface PoolWork {
  readonly compiled: CompiledPool
  /** With the status as it is to be written. */
  readonly decision: Decision
  readonly nodes: Pick<NodesByName, 'get'>
  readonly rendered: (node: ClusterNode, revision: string) => RenderedConfig | undefined
  readonly now: Instant
}

/** What is kept of a pool in the cluster, and is written before what depends on it. */
export interface PoolJournal {
  /** When the status is to be written; not later than now: at once. Undefined: it stands there as it is. */
  dueAt(pool: string, work: PoolWork): Instant | undefined
  /** It is about more than counts and texts, which can wait until the writes under way have ended. */
  isNews(pool: string, work: PoolWork): boolean
  /** From now on it counts as written. */
  assume(pool: string, status: NodePoolStatus): void
  /** The nodes are to be read again first: they may be others than the decision has seen. */
  isOpen(pool: string, work: PoolWork): boolean
  /**
   * Reads them, where that is to be done.
   * @returns false when they are others: then it is to be decided again
   * @throws {Error} when they cannot be read
   */
  confirm(pool: string, work: PoolWork): Promise<boolean>
  /**
   * @returns false when something else had to be written first: then it is to be decided again
   * @throws {Error} when it could not be written: then nothing may be done that relies on its being there
   */
  write(pool: string, work: PoolWork): Promise<boolean>
  /** It is not going to be written, and does not count as written any more. */
  withdraw(pool: string): void
  /** What is written after the actions have begun. */
  afterwards(pool: string, work: PoolWork): Promise<void>
}
