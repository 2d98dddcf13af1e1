import type { NodePhase } from '../../protocol/node-pool.ts'
import { isPromoted } from '../controls/promotion.ts'
import { waveHeardAt } from '../model/after-outage.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeProgress } from '../model/node-progress.ts'
import type { WavePolicy } from '../model/policy.ts'
import type { Member, MemberCounts, PoolState, WaveProgress } from '../model/pool-state.ts'
import { failuresIn } from '../model/target-failures.ts'
import { failedWhereTried } from './failed-where-tried.ts'
import { isSelected } from './waves.ts'

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
  const changed = { current: 0, heard: 0, beyond: 0 }
  for (const { wave, progress, changes } of members) {
    if (wave === undefined) continue
    if (changes && wave > open) changed.beyond++
    if (changes && wave <= open && progress.phase === 'Current') changed.current++
    if (changes && wave === open && hasAnswered(progress)) changed.heard++
    if (wave > open) beyond++
    else total++
    if (wave <= open && progress.pending) pending++
    if (wave <= open && progress.phase === 'Current') current++
    if (wave === open) ofNewest++
    if (wave === open && hasAnswered(progress)) heard++
  }
  return { pending, current, total, newest: { total: ofNewest, heard }, beyond, changed }
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
  if (pending > 0 || hasLostItsNodes(poolState) || lacksProof(poolState)) return false
  // Until it is rejected, or works on the last node that can try it.
  if (failedWhereTried(failuresIn(poolState), poolState)) return false
  if (newest.total > 0 && poolState.open < poolState.waves.length - 1) return newest.heard > 0 && current > 0
  return current > 0 || (total === 0 && beyond > 0)
}

/** The next wave would bring nodes to content that no node of this one has tried: those that it does not change prove nothing. */
export function lacksProof({ counts, members, waves, open }: PoolState): boolean {
  const { changed } = counts.waves
  const wave = waves[open]
  if (!wave || changed.beyond === 0 || changed.heard > 0) return false
  return members.some((member) => member.changes && isOfWave(member, { wave, open }))
}

/** Those that people keep are of it, too: a wave is not empty because its canary is held. */
export function isOfWave(
  { node, wave: own, progress: { phase } }: Member,
  { wave, open }: { readonly wave: WavePolicy; readonly open: number },
): boolean {
  const isKept = phase === 'Held' || phase === 'Unmanaged' || phase === 'Leaving'
  return own === open || (own === undefined && isKept && isSelected(node, wave))
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

/** When the next wave opens that waits for nothing but news of an outage; undefined: it does not wait for that. */
export function awaitsNewsUntil(poolState: PoolState): Instant | undefined {
  const { rollout, waves, open, clock, now } = poolState
  const heardAt = waveHeardAt(waves[open]?.soak ?? 0, clock)
  return now < heardAt && rollout.state === 'InProgress' && isWaveDone(poolState) ? heardAt : undefined
}

/** The next wave opens only when a person promotes the target. */
export function awaitsPromotion({ rollout, waves, open }: PoolState): boolean {
  return waves[open + 1]?.manual === true && !isPromoted(rollout.memory, rollout.target)
}
