import type { NodePhase } from '../../protocol/node-pool.ts'
import { isPromoted } from '../controls/approvals.ts'
import type { NodeProgress } from '../model/node-progress.ts'
import type { Member, MemberCounts, PoolState, WaveProgress } from '../model/pool-state.ts'

/** One look at all members, of whom there are thousands. */
export function countMembers(members: readonly Member[], open: number): MemberCounts {
  const byPhase = new Map<NodePhase, number>()
  let [pending, ongoing] = [0, 0]
  for (const { progress } of members) {
    byPhase.set(progress.phase, (byPhase.get(progress.phase) ?? 0) + 1)
    if (!progress.pending) continue
    pending++
    if (progress.phase !== 'Unreachable') ongoing++
  }
  return { byPhase, pending, ongoing, waves: countWaves(members, open) }
}

function countWaves(members: readonly Member[], open: number): WaveProgress {
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
  const { pending, current, total, newest, beyond } = poolState.counts.waves
  if (pending > 0 || hasLostItsNodes(poolState)) return false
  if (newest.total > 0 && poolState.open < poolState.waves.length - 1) return newest.heard > 0 && current > 0
  return current > 0 || (total === 0 && beyond > 0)
}

/** Of the newest open wave with a selector no node is left, though it had some when it opened. */
export function hasLostItsNodes({ counts, waves, open, rollout }: PoolState): boolean {
  const wave = waves[open]
  if (!wave || !('matchLabels' in wave.nodes) || counts.waves.newest.total > 0) return false
  return rollout.memory.wave?.sizes?.some(({ name, nodes }) => name === wave.name && nodes > 0) === true
}

/** Nothing is left to do, and nothing could be kept from happening. */
export function isSettled({ rollout, counts }: PoolState): boolean {
  return rollout.state === 'Completed' && counts.pending === 0
}

/** The next wave opens only when a person promotes the target. */
export function awaitsPromotion({ rollout, waves, open }: PoolState): boolean {
  return waves[open + 1]?.manual === true && !isPromoted(rollout.memory, rollout.target)
}
