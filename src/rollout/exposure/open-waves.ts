import type { RolloutClock } from '../model/deadlines.ts'
import type { WavePolicy } from '../model/policy.ts'
import type { PoolContext } from '../model/pool-state.ts'
import type { Memory } from '../model/snapshot.ts'
import { lastResort } from './last-resort.ts'
import type { NodeFacts } from './node-facts.ts'
import { assignWaves, type OpenWaves } from './waves.ts'

/**
 * The last wave before the first one that was not opened; below 0 if that is the first. A wave that a commit inserts before open ones
 * opens after those before it, and so do those behind it once more: what was to be asked before them is asked.
 */
export function openIndex(waves: readonly WavePolicy[], remembered: Memory['wave']): number {
  const opened = remembered ? namesOf(remembered, waves) : []
  const next = waves.findIndex(({ name }) => !opened.includes(name))
  return (next < 0 ? waves.length : next) - 1
}

/** Where an earlier release wrote the status, its place tells, as long as the waves are the same. */
function namesOf({ opened, index, name }: NonNullable<Memory['wave']>, waves: readonly WavePolicy[]): readonly string[] {
  if (opened) return opened
  return waves[index - 1]?.name === name ? waves.slice(0, index).map((wave) => wave.name) : []
}

export interface Division {
  /** Of each node, at its index; undefined: no wave counts it. */
  readonly waveOf: readonly (number | undefined)[]
  /** How many nodes the waves divide: what a percentage is of. */
  readonly divided: number
  /** Names of nodes that may take the places of members which cannot be paid for. */
  readonly lastResort: ReadonlySet<string>
}

const UNDIVIDED: Division = { waveOf: [], divided: 0, lastResort: new Set() }

/**
 * Divides the nodes among the waves. Whom this rollout assigned the target stays with the open ones for good.
 * @param nodes scattered
 */
export function divide(
  nodes: readonly NodeFacts[],
  context: PoolContext & OpenWaves & { readonly clock: RolloutClock },
): Division {
  const { rollout, waves, open } = context
  if (open >= waves.length) return UNDIVIDED
  const counted = nodes.filter(({ isCounted }) => isCounted)
  const sizes = rollout.memory.wave?.sizes
  const assigned = assignWaves(waves, { nodes: counted, sizes })
  const ofCounted = assigned.map((wave, index) => (counted[index]?.isExposed ? Math.min(wave, Math.max(0, open)) : wave))
  let next = 0
  const waveOf = nodes.map((facts) => (facts === counted[next] ? ofCounted[next++] : undefined))
  return { waveOf, divided: counted.length, lastResort: lastResort(counted, { ...context, waveOf: ofCounted, sizes }) }
}
