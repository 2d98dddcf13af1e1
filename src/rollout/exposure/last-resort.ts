import { isAtWork } from '../model/agent-report.ts'
import { asideOf, isOurCordon, isUnderDrain } from '../model/cordon.ts'
import type { RolloutClock } from '../model/deadlines.ts'
import { hasHadItsChance, isEvidence } from '../model/evidence.ts'
import type { PoolContext } from '../model/pool-state.ts'
import { isBeingProved } from '../model/proof.ts'
import { isAtSuperseded, type NodeFacts } from './node-facts.ts'
import { podsGivenUpAt } from './past-draining.ts'
import { type OpenWaves, placesLeft, type WaveDivision } from './waves.ts'

export interface LastResortContext extends PoolContext, OpenWaves {
  readonly clock: RolloutClock
  /** Of each node, at its index. */
  readonly waveOf: readonly number[]
  /** Of open waves that are percentages. */
  readonly sizes: WaveDivision['sizes']
}

const NOBODY: ReadonlySet<string> = new Set()

/**
 * Nodes that are down, or at work on a superseded commit, come last into a wave: a zone that comes back must not meet an unproven target
 * all at once. But when they use up the budget, no sound node of an open wave can be paid for, and what would heal them reaches them late
 * or never. Then they may take the places of those that cannot be paid for: no more than are free, and no more than such a wave tries.
 * @param nodes that the waves divide, scattered
 */
export function lastResort(nodes: readonly NodeFacts[], context: LastResortContext): ReadonlySet<string> {
  const { rollout, clock, waves, waveOf, sizes, open } = context
  if (rollout.state !== 'InProgress' || open < 0) return NOBODY
  const isMember = (index: number): boolean => (waveOf[index] ?? Number.POSITIVE_INFINITY) <= open
  const waiting = nodes.filter((_, index) => !isMember(index))
  const candidates = mostUrgent(waiting, { nodes, clock }).filter((facts) => !isAside(facts, context))
  if (candidates.length === 0) return NOBODY
  const members = nodes.filter((_, index) => isMember(index))
  const places = placesLeft(waves.slice(0, open + 1), { members, division: { nodes, sizes } })
  return new Set(candidates.slice(0, places).map(({ name }) => name))
}

/** Nodes that are down wait for the work of others, which gives back its part of the budget. */
function mostUrgent(
  waiting: readonly NodeFacts[],
  { nodes, clock }: { readonly nodes: readonly NodeFacts[]; readonly clock: RolloutClock },
): readonly NodeFacts[] {
  const superseded = waiting.filter(isAtSuperseded)
  if (superseded.length > 0) return drainedFirst(superseded)
  const down = waiting.filter((facts) => isDownForLong(facts, clock))
  return down.length === 0 || nodes.some((facts) => isBusy(facts, clock)) ? [] : drainedFirst(down)
}

/** One that is drained for the target goes on, whoever else comes. */
function drainedFirst(candidates: readonly NodeFacts[]): readonly NodeFacts[] {
  return [...candidates.filter(isDrainedForTarget), ...candidates.filter((facts) => !isDrainedForTarget(facts))]
}

function isDrainedForTarget({ node, target }: NodeFacts): boolean {
  return isUnderDrain(node) && target.kind === 'config' && node.mark?.digest === target.digest
}

/**
 * So long that Kubernetes has given its pods up; what blinks does not count. Or it is Ready, and its agent has not ended the work on the
 * stable content in time.
 */
function isDownForLong({ node, condition, assigned, changes }: NodeFacts, clock: RolloutClock): boolean {
  if (assigned || !changes) return false
  const givenUpAt = podsGivenUpAt(node, clock)
  return givenUpAt === undefined ? condition === 'Down' : clock.now >= givenUpAt
}

function isAside({ node, target, condition }: NodeFacts, { pool, clock }: LastResortContext): boolean {
  return asideOf({ node, wanted: target, broken: condition === 'Broken' }, { policy: pool.policy, now: clock.now }) !== undefined
}

/** It will give back its part of the budget by itself. */
function isBusy(facts: NodeFacts, clock: RolloutClock): boolean {
  const { node, report, condition, assigned } = facts
  const isWorking = isAtWork(node, report) && (assigned || condition === 'InFlight')
  // Without its cordon, one that is down would be unavailable all the same.
  if (node.ready) return (isOurCordon(node) && condition !== 'Down') || isWorking || isBeingProved(node, report)
  // The work itself may have taken it down, as a reboot does.
  return isWorking && isEvidence(facts, clock) && !hasHadItsChance(facts, clock)
}
