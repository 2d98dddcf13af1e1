import { own } from '../../protocol/own.ts'
import type { RolloutPolicy, Share, WavePolicy } from '../model/policy.ts'
import { resolveShare } from '../model/share.ts'
import { stableHash } from '../model/stable-hash.ts'

/** A node as the waves see it. */
export interface WaveCandidate {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Lower ones come into earlier waves; equal ones by the hash. Absent: 0. */
  readonly rank?: number
  /** Among equal ranks, lower ones come first: those that are taken already, in the order in which they were. Absent: last. */
  readonly assignedAt?: number
  /** It came after the run began: a percentage does not count it, or the open waves would grow. */
  readonly late?: boolean
}

/** What a pool that returns to a proven target goes through: no canary, no soak. */
export const ONE_WAVE: readonly WavePolicy[] = [{ name: 'all', nodes: { percent: 100 }, soak: 0, manual: false }]

const REST: WavePolicy = { name: 'rest', nodes: { percent: 100 }, soak: 0, manual: false }

/** The waves of a policy, with `rest` after them unless they cover the pool themselves. */
export function wavesOf({ waves }: Pick<RolloutPolicy, 'waves'>): readonly WavePolicy[] {
  const percents = waves.map(({ nodes }) => ('percent' in nodes ? nodes.percent : 0))
  return percents.reduce((sum, percent) => sum + percent, 0) >= 100 ? waves : [...waves, REST]
}

/**
 * Which wave each node belongs to, as an index into `waves`; the last takes what is left, so that rounding loses nobody.
 * A node that leaves moves at most one other across each border; one that comes late moves none.
 */
export function waveMembership(
  waves: readonly WavePolicy[],
  { pool, nodes }: { readonly pool: string; readonly nodes: readonly WaveCandidate[] },
): ReadonlyMap<string, number> {
  const waveOf = new Map<string, number>()
  let left = inWaveOrder(pool, nodes)
  const total = nodes.filter(({ late }) => !late).length
  for (const [index, wave] of waves.entries()) {
    const joins = index === waves.length - 1 ? () => true : membersOf(wave, total)
    left = left.filter((node) => {
      if (!joins(node)) return true
      waveOf.set(node.name, index)
      return false
    })
  }
  return waveOf
}

/** A new predicate each time: one by size counts what it lets through. */
function membersOf({ nodes }: WavePolicy, total: number): (node: WaveCandidate) => boolean {
  if ('matchLabels' in nodes) {
    const wanted = Object.entries(nodes.matchLabels)
    return ({ labels }) => wanted.every(([key, value]) => own(labels, key) === value)
  }
  let places = sizeOf(nodes, total)
  return () => places-- > 0
}

/** At least one node: a canary of no node would prove nothing and open everything. */
function sizeOf(share: Share, total: number): number {
  return Math.max(1, resolveShare(share, total))
}

/** By rank, then by turn, then scattered: neighbours by name often share a rack. */
function inWaveOrder(pool: string, nodes: readonly WaveCandidate[]): WaveCandidate[] {
  const keyed = nodes.map((node) => ({ node, ...placeOf(node), hash: stableHash(pool, node.name) }))
  keyed.sort((a, b) => a.rank - b.rank || a.order - b.order || a.hash - b.hash || (a.node.name < b.node.name ? -1 : 1))
  return keyed.map(({ node }) => node)
}

function placeOf({ rank = 0, assignedAt = Number.MAX_SAFE_INTEGER }: WaveCandidate): {
  readonly rank: number
  readonly order: number
} {
  return { rank, order: assignedAt }
}
