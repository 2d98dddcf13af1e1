import { isPromoted } from '../controls/approvals.ts'
import type { PoolState } from '../model/pool-state.ts'

/** The nodes of the waves that are open, counted. */
export interface WaveProgress {
  readonly pending: number
  readonly current: number
  readonly total: number
  /** Of later waves. */
  readonly beyond: number
}

export function countNodes({ members, open }: PoolState): WaveProgress {
  let [pending, current, total, beyond] = [0, 0, 0, 0]
  for (const { wave, progress } of members) {
    if (wave === undefined) continue
    if (wave > open) beyond++
    else total++
    if (wave <= open && progress.pending) pending++
    if (wave <= open && progress.phase === 'Current') current++
  }
  return { pending, current, total, beyond }
}

/**
 * Every node of the open waves that can has done it. Where there are nodes and none did, nothing is proved; a wave of
 * no node lets the next begin.
 */
export function isWaveDone(poolState: PoolState): boolean {
  const { pending, current, total, beyond } = countNodes(poolState)
  return pending === 0 && (current > 0 || (total === 0 && beyond > 0))
}

/** Nothing is left to do, and nothing could be kept from happening. */
export function isSettled({ rollout, members }: PoolState): boolean {
  return rollout.state === 'Completed' && members.every(({ progress }) => !progress.pending)
}

/** The next wave opens only when a person promotes the target. */
export function awaitsPromotion({ rollout, waves, open }: PoolState): boolean {
  return waves[open + 1]?.manual === true && !isPromoted(rollout.memory, rollout.target)
}
