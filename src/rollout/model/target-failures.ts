import type { HistoryEntry, LaterFailures, LostNode } from '../../protocol/node-pool.ts'
import type { Member, PoolState } from './pool-state.ts'
import { isInRollout } from './wanted-assignment.ts'

export interface Failures {
  readonly failures: readonly Member[]
  /** Machines that failed and were replaced. */
  readonly replaced: readonly LostNode[]
}

export function failuresIn(poolState: Pick<PoolState, 'notAtRest' | 'rollout'>): Failures {
  return { failures: failuresOf(poolState), replaced: replacedIn(poolState.rollout) }
}

/** Machines that were replaced in the rollout under way, after the content had broken them. */
function replacedIn({ memory }: PoolState['rollout']): readonly LostNode[] {
  return memory.history[0]?.losses?.replaced ?? []
}

/**
 * Nodes that failed at the target. One that was assigned before this rollout began, or was not sound then, says nothing about it; nor does one that
 * failed at a reboot, for which it has to have the content.
 */
export function failuresOf({ notAtRest, rollout }: Pick<PoolState, 'notAtRest' | 'rollout'>): readonly Member[] {
  return notAtRest.filter(
    ({ node, progress }) =>
      progress.phase === 'Failed' &&
      progress.isEvidence !== false &&
      node.assigned &&
      node.assigned.reboot === undefined &&
      isInRollout(node.assigned, { rolloutStart: rollout.startedAt }),
  )
}

/** The history with this said of failures since the rollout on top completed; nothing is said of none. */
export function withLaterFailures([top, ...older]: readonly HistoryEntry[], later: LaterFailures): readonly HistoryEntry[] {
  if (!top) return []
  const { laterFailures: _, ...entry } = top
  return [later.nodes.length === 0 && later.replaced === undefined ? entry : { ...entry, laterFailures: later }, ...older]
}
