import type { RolloutClock } from '../model/deadlines.ts'
import type { WavePolicy } from '../model/policy.ts'
import type { PoolContext } from '../model/pool-state.ts'
import type { Memory } from '../model/snapshot.ts'
import { lastResort } from './last-resort.ts'
import type { NodeFacts } from './node-facts.ts'
import { type OrderContext, placeOf, rankOf } from './wave-order.ts'
import { type OpenWaves, type PlacedCandidate, waveMembership } from './waves.ts'

/**
 * The last wave before the first one that was not opened; below 0 if that is the first. A wave that a commit inserts before open ones
 * opens in its turn, and so do those behind it once more: what was to be asked before them is asked.
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
  readonly waveOf: ReadonlyMap<string, number>
  /** How many nodes the waves divide: what a percentage is of. */
  readonly divided: number
  /** Names of nodes that may take the places of members which cannot be paid for. */
  readonly lastResort: ReadonlySet<string>
}

const UNDIVIDED: Division = { waveOf: new Map(), divided: 0, lastResort: new Set() }

/** Divides the nodes among the waves. Whom this rollout assigned the target stays with the open ones for good. */
export function divide(
  nodes: readonly NodeFacts[],
  context: PoolContext & OpenWaves & { readonly clock: RolloutClock },
): Division {
  const { pool, rollout, waves, open, clock } = context
  if (open >= waves.length) return UNDIVIDED
  const counted = nodes.filter(isCounted)
  const candidates = counted.map((facts) => candidateOf(facts, { policy: pool.policy, clock }))
  const division = { pool: pool.name, nodes: candidates, sizes: rollout.memory.wave?.sizes }
  const waveOf = staying(waveMembership(waves, division), { nodes: counted, open })
  return { waveOf, divided: counted.length, lastResort: lastResort(counted, { ...context, waveOf, division }) }
}

function candidateOf(facts: NodeFacts, order: OrderContext): PlacedCandidate {
  const { node, exposed } = facts
  return {
    name: node.name,
    labels: node.labels,
    rank: rankOf(facts, order),
    place: placeOf(facts, order),
    isExposed: exposed,
    ...(exposed && node.assigned?.at !== undefined && { assignedAt: node.assigned.at }),
  }
}

/**
 * Nodes that people keep, that are being deleted, that join or cannot be rendered belong to no wave. One that is held after it was exposed
 * keeps its place: else each canary that an operator holds would expose another node.
 */
function isCounted({ node, target, joins, exposed }: NodeFacts): boolean {
  if (node.assignedByHand || node.leaving || joins || target.kind !== 'config') return false
  return exposed || node.hold === undefined
}

function staying(
  waveOf: ReadonlyMap<string, number>,
  { nodes, open }: { readonly nodes: readonly NodeFacts[]; readonly open: number },
): ReadonlyMap<string, number> {
  const last = Math.max(0, open)
  const moved = nodes.flatMap(({ node, exposed }): [string, number][] => {
    const wave = waveOf.get(node.name)
    return exposed && wave !== undefined && wave > last ? [[node.name, last]] : []
  })
  return moved.length === 0 ? waveOf : new Map([...waveOf, ...moved])
}
