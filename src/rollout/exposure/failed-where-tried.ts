import { chanceEnds } from '../model/evidence.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isToStable } from '../model/rollout.ts'
import { type Failures, failuresIn } from '../model/target-failures.ts'

/**
 * It failed, works on no node, and no wave waits for one. Nodes that have the content already do not speak for a change of others; stable
 * content changes none. Where a commit has closed the waves again, nobody tries it now.
 */
export function failedWhereTried({ failures, replaced }: Failures, { counts: { waves }, open, rollout }: PoolState): boolean {
  if (failures.length + replaced.length === 0 || open < 0 || waves.pending > 0) return false
  return (isOfChange({ failures, replaced }, rollout) ? waves.changed.current : waves.current) === 0
}

function isOfChange({ failures, replaced }: Failures, rollout: PoolState['rollout']): boolean {
  return failures.some(({ changes }) => changes) || (replaced.length > 0 && !isToStable(rollout))
}

/** Nodes for which alone a rejection waits. */
export function awaitedBeforeRejection(poolState: PoolState): readonly Member[] {
  const failures = failuresIn(poolState)
  return failedWhereTried(failures, poolState) ? lastChances(failures, poolState) : []
}

/**
 * No wave waits for a node that was down when it was assigned. Content is not rejected before such a node has had its chance, too. One that
 * the content does not change tries nothing.
 */
export function lastChances(failures: Failures, { members, open, clock, rollout }: PoolState): readonly Member[] {
  const isChange = isOfChange(failures, rollout)
  return members.filter(({ wave, assigned, changes, node, report }) => {
    const isTrying = assigned && (changes || !isChange) && wave !== undefined && wave <= open
    return isTrying && chanceEnds({ node, report }, clock) !== undefined
  })
}
