import { isPromoted } from '../controls/approvals.ts'
import type { NodeProgress } from '../model/node-progress.ts'
import type { PoolState } from '../model/pool-state.ts'

/** The nodes of the waves that are open, counted. */
export interface WaveProgress {
  readonly pending: number
  readonly current: number
  readonly total: number
  /** Of the last open wave alone. */
  readonly newest: { readonly total: number; readonly heard: number }
  /** Of later waves. */
  readonly beyond: number
}

export function countNodes({ members, open }: PoolState): WaveProgress {
  let [pending, current, total, beyond, ofNewest, heard] = [0, 0, 0, 0, 0, 0]
  for (const { wave, progress } of members) {
    if (wave === undefined) continue
    if (wave > open) beyond++
    else total++
    if (wave <= open && progress.pending) pending++
    if (wave <= open && progress.phase === 'Current') current++
    if (wave === open) ofNewest++
    if (wave === open && hasAnswered(progress)) heard++
  }
  return { pending, current, total, newest: { total: ofNewest, heard }, beyond }
}

function hasAnswered({ phase, isEvidence }: NodeProgress): boolean {
  return phase === 'Current' || (phase === 'Failed' && isEvidence !== false)
}

/**
 * Every node of the open waves that can has done it, and each wave was heard from; of the last one that is left, any will do. Where
 * there are nodes and none did, nothing is proved; a wave that never had a node lets the next begin.
 */
export function isWaveDone(poolState: PoolState): boolean {
  const { pending, current, total, newest, beyond } = countNodes(poolState)
  if (pending > 0 || hasLostItsNodes(poolState)) return false
  if (newest.total > 0 && poolState.open < poolState.waves.length - 1) return newest.heard > 0 && current > 0
  return current > 0 || (total === 0 && beyond > 0)
}

/** Of the newest open wave with a selector no node is left, though it had some when it opened. */
export function hasLostItsNodes({ members, waves, open, rollout }: PoolState): boolean {
  const wave = waves[open]
  if (!wave || !('matchLabels' in wave.nodes) || members.some((member) => member.wave === open)) return false
  return rollout.memory.wave?.sizes?.some(({ name, nodes }) => name === wave.name && nodes > 0) === true
}

/** Nothing is left to do, and nothing could be kept from happening. */
export function isSettled({ rollout, members }: PoolState): boolean {
  return rollout.state === 'Completed' && members.every(({ progress }) => !progress.pending)
}

/** The next wave opens only when a person promotes the target. */
export function awaitsPromotion({ rollout, waves, open }: PoolState): boolean {
  return waves[open + 1]?.manual === true && !isPromoted(rollout.memory, rollout.target)
}
