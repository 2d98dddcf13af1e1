import type { RolloutClock } from '../model/deadlines.ts'
import { hasHadItsChance } from '../model/evidence.ts'
import { isDrainedForTarget } from './last-resort.ts'
import type { NodeFacts } from './node-facts.ts'
import { assignWaves, type OpenWaves, type WaveDivision } from './waves.ts'

const NOBODY: ReadonlySet<string> = new Set()

interface StandInContext extends OpenWaves {
  readonly clock: RolloutClock
  /** Of each node, at its index. */
  readonly waveOf: readonly number[]
  readonly sizes: WaveDivision['sizes']
}

/**
 * Members of open waves in the places of nodes whose time is over by the clocks alone, and from which nobody could hear what became of it: the
 * wave waits for these members, and they wait until that can be heard. One that is drained for the target was selected before.
 * @param nodes that the waves divide, scattered
 */
export function standInsOf(nodes: readonly NodeFacts[], context: StandInContext): ReadonlySet<string> {
  const { waves, open, waveOf, sizes, clock } = context
  if (open < 0 || !nodes.some((facts) => isUnheard(facts, clock))) return NOBODY
  const asUnheard = nodes.map((facts) => (isUnheard(facts, clock) ? { ...facts, place: 'Unsound' as const } : facts))
  const kept = assignWaves(waves, { nodes: asUnheard, sizes })
  const isOpen = (wave: number | undefined): boolean => (wave ?? Number.POSITIVE_INFINITY) <= open
  const standIns = nodes.filter((facts, at) => isOpen(waveOf[at]) && !isOpen(kept[at]) && mayBegin(facts))
  return new Set(standIns.map(({ name }) => name))
}

/** It may be heard yet. */
export function isUnheard(facts: Pick<NodeFacts, 'node' | 'report' | 'place'>, clock: RolloutClock): boolean {
  return facts.place === 'Tried' && !hasHadItsChance(facts, clock)
}

function mayBegin(facts: NodeFacts): boolean {
  return !facts.isExposed && !facts.assigned && !isDrainedForTarget(facts)
}
