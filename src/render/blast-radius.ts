import type { NodeContent } from '../protocol/digest.ts'
import type { HostDocument } from '../protocol/host-document.ts'
import type { Share } from '../repo/schema/common.ts'
import type { FleetSpec } from '../repo/schema/fleet.ts'

/** What a commit may do at once without a person saying so; what is not stated is not limited. */
export type BlastLimits = NonNullable<FleetSpec['blastRadius']>

/** A node that has a pool before the commit, or after it. */
export interface BlastStep {
  readonly poolBefore: string | undefined
  /** undefined: none has it, or several claim it. */
  readonly poolAfter: string | undefined
  /** undefined: nobody knows, or it could not be rendered. */
  readonly before: Rendered | undefined
  readonly after: Rendered | undefined
  /** The pool has completed this content before: going back is not held up. */
  readonly returns: boolean
}

interface Rendered {
  readonly digest: string
  readonly content: NodeContent
}

/** What a commit does to the fleet as a whole. */
export interface Blast {
  readonly nodes: number
  /** Nodes that change, or lose their pool. */
  readonly touched: number
  /** Pools that had nodes, and of which nothing is left: they went away, or none of their nodes is theirs or anybody's. */
  readonly abandoned: readonly { readonly pool: string; readonly nodes: number; readonly removed: boolean }[]
  /** Files and units that nodes had and are not to have any more. */
  readonly deleted: readonly string[]
  readonly leavesNoPool: boolean
  /** Nodes by their pools before and after, where they have both. */
  readonly moves: readonly { readonly from: string; readonly to: string; readonly nodes: number }[]
}

/** The names of pools, on each side of a commit. */
export interface PoolNames {
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
}

export function measureBlast(steps: readonly BlastStep[], { before, after }: PoolNames): Blast {
  const changed = steps.filter((step) => isTouched(step))
  return {
    nodes: steps.length,
    touched: changed.length,
    abandoned: abandonedPools(steps, after),
    deleted: deletedBy(changed),
    leavesNoPool: before.size > 0 && after.size === 0,
    moves: movesIn(steps),
  }
}

function movesIn(steps: readonly BlastStep[]): Blast['moves'] {
  const moves = Map.groupBy(steps, ({ poolBefore, poolAfter }) => `${poolBefore} ${poolAfter}`)
  return [...moves.values()].flatMap(([step, ...others]) => {
    const { poolBefore: from, poolAfter: to } = step ?? {}
    return from === undefined || to === undefined ? [] : [{ from, to, nodes: 1 + others.length }]
  })
}

/** Why a commit is held until a person promotes it; empty: it is not. To empty a fleet, or to drop a pool that has nodes, always is. */
export function blastReasons(blast: Blast, { maxNodes, maxFilesDeleted }: BlastLimits = {}): readonly string[] {
  const { nodes, touched, abandoned, deleted, leavesNoPool } = blast
  const lost = abandoned.map(({ pool, nodes: count, removed }) => {
    const its = `${count} ${count === 1 ? 'node' : 'nodes'}`
    return removed ? `it removes pool "${pool}" with ${its}` : `it removes all ${its} from pool "${pool}"`
  })
  return [
    ...(leavesNoPool ? ['it removes every pool of the fleet'] : []),
    ...lost,
    ...(maxNodes && touched > countOf(maxNodes, nodes)
      ? [`it changes ${touched} of ${nodes} nodes, and blastRadius.maxNodes is ${shareText(maxNodes)}`]
      : []),
    ...(maxFilesDeleted !== undefined && deleted.length > maxFilesDeleted
      ? [
          `it deletes ${deleted.length} files and units, "${deleted[0]}" first, and blastRadius.maxFilesDeleted is ${maxFilesDeleted}`,
        ]
      : []),
  ]
}

function isTouched({ poolBefore, poolAfter, before, after, returns }: BlastStep): boolean {
  if (poolAfter === undefined) return poolBefore !== undefined
  return after !== undefined && before?.digest !== after.digest && !returns
}

function abandonedPools(steps: readonly BlastStep[], after: ReadonlySet<string>): Blast['abandoned'] {
  const byPool = Map.groupBy(steps, ({ poolBefore }) => poolBefore)
  return [...byPool].flatMap(([pool, members]) => {
    if (pool === undefined) return []
    const removed = !after.has(pool)
    return removed || members.every(({ poolAfter }) => poolAfter === undefined) ? [{ pool, nodes: members.length, removed }] : []
  })
}

/** Nodes mostly share their host documents: each pair of them is compared once. */
function deletedBy(changed: readonly BlastStep[]): string[] {
  const deleted = new Set<string>()
  const compared = new Map<string | undefined, Set<string | undefined>>()
  for (const { before, after } of changed) {
    const [from, to] = [before?.content.host, after?.content.host]
    const others = compared.get(from) ?? new Set()
    if (after === undefined || others.has(to)) continue
    compared.set(from, others.add(to))
    const kept = placesIn(to)
    for (const place of placesIn(from)) if (!kept.has(place)) deleted.add(place)
  }
  return [...deleted].sort()
}

function placesIn(host: string | undefined): ReadonlySet<string> {
  const {
    files = [],
    links = [],
    directories = [],
    archives = [],
    groups = [],
    users = [],
    units = [],
  }: HostDocument = host === undefined ? {} : JSON.parse(host)
  return new Set([
    ...[...files.filter(({ state }) => state !== 'absent'), ...links, ...directories].map(({ path }) => path),
    ...archives.map(({ name }) => `archive ${name}`),
    ...groups.map(({ name }) => `group ${name}`),
    ...users.map(({ name }) => `user ${name}`),
    ...units.map(({ name }) => name),
  ])
}

function countOf(share: Share, total: number): number {
  return 'count' in share ? share.count : Math.floor((share.percent * total) / 100)
}

function shareText(share: Share): string {
  return 'count' in share ? String(share.count) : `${share.percent}%`
}
