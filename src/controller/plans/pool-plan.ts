import type { Disruption } from '../../protocol/desired-config.ts'
import type { ContentChange } from '../../render/diff-content.ts'

/** A commit that a pool has not begun with. */
export interface WaitingCommit {
  readonly revision: string
  readonly subject: string
  readonly author: string
  /** Why it waits. */
  readonly because: string
}

/** What a commit will change in a pool. */
export interface PoolPlan {
  readonly commit: Omit<WaitingCommit, 'because'>
  /** Why it waits; absent: it is under way, and this is what is left. */
  readonly because?: string
  /** Nodes of the pool at that commit. */
  readonly total: number
  /** Nodes that change. */
  readonly changing: number
  /** Nodes that would change, and that operators hold, or that are being deleted. */
  readonly left: number
  /** Only those with nodes that change. */
  readonly waves: readonly PlannedWave[]
  /** Nodes that change alike, the largest group first. */
  readonly groups: readonly PlannedGroup[]
  /** Nodes that change in ways that were not compared, since there are too many of them. */
  readonly uncompared: number
  readonly problems: readonly { readonly node: string; readonly message: string }[]
}

export interface PlannedWave {
  readonly name: string
  /** Milliseconds. */
  readonly soak: number
  readonly manual: boolean
  readonly gates: readonly string[]
  readonly nodes: number
}

export interface PlannedGroup {
  readonly nodes: readonly string[]
  readonly disruption: Disruption
  readonly reasons: readonly string[]
  readonly changes: readonly ContentChange[]
}
