import { sumUp } from '../exposure/wave-progress.ts'
import { isInRun } from '../model/node-progress.ts'
import type { Member, Picture } from '../model/pool-state.ts'
import { resolveShare } from '../model/share.ts'
import { allowedUnavailable } from '../selection/budget.ts'

/** Nodes that failed at the target. One that was assigned before this run began says nothing about it. */
export function failuresOf({ members, run }: Picture): readonly Member[] {
  return members.filter(
    ({ node, standing }) => standing.phase === 'Failed' && node.assigned && isInRun(node.assigned, { runStart: run.startedAt }),
  )
}

/** More than the policy bears, of the pool or of one wave, or all that the target was tried on. */
export function isTooMuch(failures: readonly Member[], picture: Picture): boolean {
  if (failures.length === 0) return false
  const { pending, current } = sumUp(picture)
  return failures.length > tolerated(picture) || isTooMuchForAWave(failures, picture) || (pending === 0 && current === 0)
}

/**
 * On the way back to the stable content as many may fail as may be unavailable: the node that broke may well not recover,
 * and to stop for it would leave all others with the content that broke it.
 */
function tolerated({ pool, run }: Picture): number {
  const { maxFailures, maxUnavailable } = pool.policy
  const borne = resolveShare(maxFailures, pool.nodes.length)
  return run.target.fingerprint === run.stable?.fingerprint
    ? Math.max(borne, allowedUnavailable(maxUnavailable, pool.nodes.length))
    : borne
}

function isTooMuchForAWave(failures: readonly Member[], { waves, members }: Picture): boolean {
  return waves.some(({ maxFailures }, index) => {
    if (maxFailures === undefined) return false
    const isOfIt = ({ wave }: Member) => wave === index
    return failures.filter(isOfIt).length > resolveShare(maxFailures, members.filter(isOfIt).length)
  })
}
