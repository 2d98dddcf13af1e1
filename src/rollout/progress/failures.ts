import { failedWhereTried, lastChances } from '../exposure/failed-where-tried.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isToStable } from '../model/rollout.ts'
import { resolveShare } from '../model/share.ts'
import type { Failures } from '../model/target-failures.ts'
import { allowedUnavailable } from '../selection/budget.ts'

/** More than the policy bears, of the pool or of one wave, or all that the target was tried on. */
export function isTooMuch({ failures, replaced }: Failures, poolState: PoolState): boolean {
  const count = failures.length + replaced.length
  if (count === 0) return false
  return (
    count > tolerated(poolState) ||
    isTooMuchForAWave({ failures, replaced }, poolState) ||
    (failedWhereTried({ failures, replaced }, poolState) && lastChances({ failures, replaced }, poolState).length === 0)
  )
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

function isTooMuchForAWave({ failures, replaced }: Failures, { waves, members }: PoolState): boolean {
  return waves.some(({ name, maxFailures }, index) => {
    if (maxFailures === undefined) return false
    const isOfIt = ({ wave }: Member) => wave === index
    const gone = replaced.filter((lost) => lost.wave === name).length
    return failures.filter(isOfIt).length + gone > resolveShare(maxFailures, members.filter(isOfIt).length)
  })
}
