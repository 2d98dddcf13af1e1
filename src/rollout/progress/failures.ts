import type { LostNode } from '../../protocol/node-pool.ts'
import { chanceEnds } from '../model/evidence.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { resolveShare } from '../model/share.ts'
import { failuresOf } from '../model/target-failures.ts'
import { allowedUnavailable } from '../selection/budget.ts'
import { replacedIn } from './losses.ts'

export interface Failures {
  readonly failures: readonly Member[]
  /** Machines that failed and were replaced. */
  readonly replaced: readonly LostNode[]
}

/** More than the policy bears, of the pool or of one wave, or all that the target was tried on. */
export function isTooMuch({ failures, replaced }: Failures, poolState: PoolState): boolean {
  const count = failures.length + replaced.length
  if (count === 0) return false
  return (
    count > tolerated(poolState) ||
    isTooMuchForAWave({ failures, replaced }, poolState) ||
    worksNowhere({ failures, replaced }, poolState)
  )
}

/** It works on no node, and no node is left to try it. */
function worksNowhere(found: Failures, poolState: PoolState): boolean {
  return hasWorkedNowhere(found, poolState) && lastChances(poolState).length === 0
}

/**
 * Nodes that have the content already do not speak for a change of others; stable content changes none. Where a commit has closed the waves
 * again, nobody tries it now.
 */
function hasWorkedNowhere({ failures, replaced }: Failures, { counts: { waves }, open, rollout }: PoolState): boolean {
  if (open < 0 || waves.pending > 0) return false
  const hasChanged = failures.some(({ changes }) => changes) || (replaced.length > 0 && !isToStable(rollout))
  return (hasChanged ? waves.changed.current : waves.current) === 0
}

/** Nodes for which alone a rejection waits. */
export function awaitedBeforeRejection(poolState: PoolState): readonly Member[] {
  const found = { failures: failuresOf(poolState), replaced: replacedIn(poolState.rollout) }
  const isLeft = found.failures.length + found.replaced.length > 0 && hasWorkedNowhere(found, poolState)
  return isLeft ? lastChances(poolState) : []
}

/** No wave waits for a node that was down when it was assigned. Content is not rejected before such a node has had its chance, too. */
function lastChances({ members, open, clock }: PoolState): readonly Member[] {
  return members.filter(({ wave, node, report }) => {
    const isOpen = wave !== undefined && wave <= open
    return isOpen && chanceEnds({ node, report }, clock) !== undefined
  })
}

/**
 * On the way back to the stable content as many may fail as may be unavailable: the node that broke may well not recover,
 * and to stop for it would leave all others with the content that broke it.
 */
function tolerated({ pool, rollout }: PoolState): number {
  const { maxFailures, maxUnavailable } = pool.policy
  const borne = resolveShare(maxFailures, pool.nodes.length)
  return isToStable(rollout) ? Math.max(borne, allowedUnavailable(maxUnavailable, pool.nodes.length)) : borne
}

function isToStable({ target, stable }: PoolState['rollout']): boolean {
  return target.fingerprint === stable?.fingerprint
}

function isTooMuchForAWave({ failures, replaced }: Failures, { waves, members }: PoolState): boolean {
  return waves.some(({ name, maxFailures }, index) => {
    if (maxFailures === undefined) return false
    const isOfIt = ({ wave }: Member) => wave === index
    const gone = replaced.filter((lost) => lost.wave === name).length
    return failures.filter(isOfIt).length + gone > resolveShare(maxFailures, members.filter(isOfIt).length)
  })
}
