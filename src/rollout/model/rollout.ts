import type { Blocker } from './blocker.ts'
import type { Instant } from './instant.ts'
import { isRejected } from './remembered-revision.ts'
import type { Memory, PoolSnapshot, Revision } from './snapshot.ts'

/** Where the pool is going, and how far that has come. */
export interface Rollout {
  readonly target: Revision
  /** The target, if it is proven; else what the pool remembers as stable, if it can still be rendered and has not failed since. */
  readonly stable: Revision | undefined
  /** Commits that the pool has run through, and has not fled from: no rollout is to blame for a node that goes down with one. */
  readonly completed: ReadonlySet<string>
  /** At most as far ahead as work may take: a leader before may have had a clock that was ahead. */
  readonly startedAt: Instant
  /** Since when nodes may have the target from tries that did not complete, and after which nothing else has; undefined: this is the first. */
  readonly triedSince: Instant | undefined
  /** No assignment is stamped before this, so that it belongs to the rollout, and to its retry. */
  readonly assignsFrom: Instant
  /**
   * InProgress: nodes are brought to the target wave by wave. Completed: stragglers are. Halted: it failed, and there is
   * nothing to go back to. Blocked: it may not begin yet, and there is nothing to do meanwhile.
   */
  readonly state: 'InProgress' | 'Completed' | 'Halted' | 'Blocked'
  /** The pool has run through this content before: no canary, no soak. */
  readonly proven: boolean
  /** Why the newest commit is not the target yet, though it has not failed. */
  readonly commitBlocker: Blocker | undefined
  /** What the pool remembers, brought up to this rollout. */
  readonly memory: Memory
}

/** What it is halted at is not what the repository says any more. */
export function isSuperseded({ state, commitBlocker }: Pick<Rollout, 'state' | 'commitBlocker'>): boolean {
  return state === 'Halted' && commitBlocker !== undefined
}

/** The newest commit has failed, and the pool leaves it for what has completed. Content that has not is on its way forward: a fix, say. */
export function returnsFromFailure(
  { head }: Pick<PoolSnapshot, 'head'>,
  { proven, memory }: Pick<Rollout, 'proven' | 'memory'>,
): boolean {
  return proven && isRejected(memory, head)
}

export function isToStable({ target, stable }: Pick<Rollout, 'target' | 'stable'>): boolean {
  return target.fingerprint === stable?.fingerprint
}
