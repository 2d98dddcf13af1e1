import type { WaveStatus } from '../../protocol/node-pool.ts'
import { selectsLabels } from '../../protocol/node-selector.ts'
import type { Instant } from '../model/instant.ts'
import type { RolloutPolicy, WavePolicy } from '../model/policy.ts'
import { byClass, inOrderOf, scatteredIndices } from '../model/scattered.ts'
import { resolveShare } from '../model/share.ts'

/** A node as the waves see it. */
export interface WaveCandidate {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Lower ones come into earlier waves; equal ones by the hash. Absent: 0. */
  readonly rank?: number
  /** Among equal ranks, lower ones come first: when it was assigned the target, or its drain was given up. Absent: last. */
  readonly since?: Instant | undefined
  /** Which place it takes in a wave of a size, see `placesIn`. Absent: Sound. */
  readonly place?: 'Sound' | 'Unsound' | 'Tried'
  /** This rollout has assigned it the target. */
  readonly isExposed?: boolean
}

/** A candidate whose place is known, and whether it holds that already. */
export interface PlacedCandidate extends WaveCandidate {
  readonly place: 'Sound' | 'Unsound' | 'Tried'
  readonly isExposed: boolean
  /** It is assigned the target, perhaps by an earlier try of it, and need not be again. */
  readonly assigned: boolean
}

/**
 * How many nodes a wave had when it was opened. A percentage is frozen then, or nodes that come and go would move its border; of a wave
 * with a selector it tells later whether it has lost them.
 */
export interface WaveSize {
  readonly name: string
  readonly nodes: number
}

/** Which waves there are, and how far they are open. */
export interface OpenWaves {
  readonly waves: readonly WavePolicy[]
  /** Waves up to this index are open: below 0 before the first one opens, the number of waves when all have passed. */
  readonly open: number
}

/** What is remembered of the waves up to the index `open`. */
export function waveStatus(
  waves: readonly WavePolicy[],
  { open, sizes = [], soakedAt }: { readonly open: number } & Partial<Pick<WaveStatus, 'sizes' | 'soakedAt'>>,
): WaveStatus {
  const opened = waves.slice(0, open + 1).map(({ name }) => name)
  const last = { index: open + 1, count: waves.length, name: opened.at(-1) ?? '', opened }
  return { ...last, ...(sizes.length > 0 && { sizes }), ...(soakedAt !== undefined && { soakedAt }) }
}

/** What a pool that returns to a proven target goes through: no canary, no soak. */
export const ONE_WAVE: readonly WavePolicy[] = [{ name: 'all', nodes: { percent: 100 }, soak: 0, manual: false }]

const REST: WavePolicy = { name: 'rest', nodes: { percent: 100 }, soak: 0, manual: false }

/** The waves of a policy, with `rest` after them unless they cover the pool themselves. */
export function wavesOf({ waves }: Pick<RolloutPolicy, 'waves'>): readonly WavePolicy[] {
  const percents = waves.map(({ nodes }) => ('percent' in nodes ? nodes.percent : 0))
  return percents.reduce((sum, percent) => sum + percent, 0) >= 100 ? waves : [...waves, REST]
}

/** One that joins gets the stable content, and counts in no wave. */
type NamedNode = Pick<WaveCandidate, 'labels'> & { readonly joins?: boolean }

/**
 * The first wave always hears from a node: where its selector names none that may count in it, perhaps by a typing error, it takes one. One
 * that had nodes when it opened has lost them, and waits for others.
 */
export function withFirstNode(
  waves: readonly WavePolicy[],
  { nodes, sizes = [] }: { readonly nodes: readonly NamedNode[]; readonly sizes?: readonly WaveSize[] | undefined },
): readonly WavePolicy[] {
  const [first, ...others] = waves
  if (!first || others.length === 0 || !('matchLabels' in first.nodes)) return waves
  const hadNodes = sizes.some((size) => size.name === first.name && size.nodes > 0)
  if (hadNodes || nodes.some((node) => !node.joins && isSelected(node, first))) return waves
  return [{ ...first, nodes: { count: 1 } }, ...others]
}

/**
 * Which wave each node belongs to, as an index into `waves`; the last takes what is left, so that rounding loses nobody.
 * A node that leaves moves at most one other across each border.
 * @param division.pool name of the pool: each scatters its nodes in its own way
 */
export function waveMembership(
  waves: readonly WavePolicy[],
  { pool, nodes, sizes }: WaveDivision & { readonly pool: string },
): ReadonlyMap<string, number> {
  const scattered = inOrderOf(
    nodes,
    scatteredIndices(
      pool,
      nodes.map(({ name }) => name),
    ),
  )
  const waveOf = assignWaves(waves, { nodes: scattered, sizes })
  return new Map(scattered.map(({ name }, index) => [name, waveOf[index] ?? 0]))
}

/** The same for nodes that are scattered already: the wave of each, at its index. */
export function assignWaves(waves: readonly WavePolicy[], division: WaveDivision): readonly number[] {
  const { nodes } = division
  const last = waves.length - 1
  const waveOf = new Array<number>(nodes.length).fill(last)
  if (last === 0) return waveOf
  const order = inWaveOrder(nodes)
  for (const [index, wave] of waves.slice(0, last).entries()) {
    const size = sizeNow(wave, division)
    const belongs = membersOf(wave, size)
    let places = 'matchLabels' in wave.nodes ? Number.POSITIVE_INFINITY : size
    for (const at of order) {
      if (waveOf[at] !== last || !belongs(nodes[at] as WaveCandidate)) continue
      waveOf[at] = index
      if (--places === 0) break
    }
  }
  return waveOf
}

export interface WaveDivision {
  readonly nodes: readonly WaveCandidate[]
  /** Of open waves that are percentages. */
  readonly sizes?: readonly WaveSize[] | undefined
}

/** An open wave does not grow with its pool. A commit that makes it smaller counts at once: that is how a person stops a wave. */
function sizeNow(wave: WavePolicy, { nodes, sizes }: WaveDivision): number {
  return Math.min(sizeWhenOpened(wave, { total: nodes.length, sizes }), sizeOf(wave, nodes.length))
}

/** Of an open wave; where its size was not noted then, it is that of so many nodes. */
export function sizeWhenOpened(
  wave: WavePolicy,
  { total, sizes }: { readonly total: number; readonly sizes: readonly WaveSize[] | undefined },
): number {
  return sizes?.find(({ name }) => name === wave.name)?.nodes ?? sizeOf(wave, total)
}

/** How many nodes a wave takes of so many: at least one, for a canary of no node would prove nothing and open everything. */
export function sizeOf({ nodes }: WavePolicy, total: number): number {
  return 'matchLabels' in nodes ? total : Math.max(1, resolveShare(nodes, total))
}

/** A new predicate each time: one by size counts what it lets through. */
function membersOf({ nodes }: WavePolicy, size: number): (node: WaveCandidate) => boolean {
  if (!('matchLabels' in nodes)) return placesIn(size)
  return (node) => isSelected(node, { nodes })
}

/** Whether the wave names it by its labels. */
export function isSelected({ labels }: Pick<WaveCandidate, 'labels'>, { nodes }: Pick<WavePolicy, 'nodes'>): boolean {
  return 'matchLabels' in nodes && selectsLabels(nodes, labels)
}

/**
 * A wave of n has n places, and tries at most n unsound nodes. One that was tried in vain gives its place to another: it belongs to a
 * later wave, and counts among the unsound all the same. So a wave exposes no more than n sound nodes, and hears from one if it can.
 * More unsound nodes than that were never chosen as such: they seemed sound when they were assigned, and keep their places.
 */
function placesIn(size: number): (node: WaveCandidate) => boolean {
  let [free, unsound] = [size, size]
  return ({ place = 'Sound', isExposed = false }) => {
    const seemedSound = place !== 'Sound' && unsound-- <= 0
    if (seemedSound && !isExposed) return false
    return (place !== 'Tried' || seemedSound) && free-- > 0
  }
}

/**
 * How many places of the open waves, given in order, unsound nodes could take from sound ones that were assigned nothing yet.
 * @param members candidates that belong to the open waves
 */
export function placesLeft(
  openWaves: readonly WavePolicy[],
  { members, division }: { readonly members: readonly PlacedCandidate[]; readonly division: WaveDivision },
): number {
  const sized = openWaves.filter(({ nodes }) => !('matchLabels' in nodes))
  const unsound = sized.reduce((sum, wave) => sum + sizeNow(wave, division), 0)
  const free = members.filter(({ place, isExposed, assigned }) => place === 'Sound' && !isExposed && !assigned).length
  const tried = members.filter(({ place }) => place !== 'Sound').length
  return Math.max(0, Math.min(free, unsound - tried))
}

/** Indices by rank, then by time; equal ones stay scattered, for neighbours by name often share a rack. */
function inWaveOrder(nodes: readonly WaveCandidate[]): readonly number[] {
  const [dated, others]: [number[], number[]] = [[], []]
  for (let index = 0; index < nodes.length; index++) (nodes[index]?.since === undefined ? others : dated).push(index)
  const sinceOf = (index: number): Instant => nodes[index]?.since ?? 0
  return byClass(byClass(dated, sinceOf).concat(others), (index) => nodes[index]?.rank ?? 0)
}
