import { byText } from '../../protocol/by-text.ts'
import type { RevisionRef } from '../../protocol/node-pool.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Awaited } from '../model/fleet-facts.ts'
import { isProven, isRejected } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import { shortName } from '../model/text.ts'

/** Each pool after those that it depends on; otherwise by name. */
export function inOrderOfDependency(pools: readonly PoolSnapshot[]): readonly PoolSnapshot[] {
  const byName = pools.toSorted(byText(({ name }) => name))
  if (!pools.some(({ policy }) => policy.dependsOn?.length)) return byName
  const named = new Map(byName.map((pool) => [pool.name, pool]))
  const ordered = new Set<PoolSnapshot>()
  for (const { name } of byName)
    for (const each of [...dependenciesOf(name, named), name]) {
      const pool = named.get(each)
      if (pool) ordered.add(pool)
    }
  return [...ordered]
}

export interface Others {
  readonly pools: readonly PoolSnapshot[]
  /** As they have just been assessed. */
  readonly memories: ReadonlyMap<string, Memory>
  /** Pools whose completion of the newest commit is not written, and why. Absent: what a pool remembers is written. */
  readonly unwritten?: ReadonlyMap<string, string> | undefined
}

/**
 * Those of the pools that `pool` depends on, directly or through others, that have not completed the newest commit. One that the
 * commit does not change has completed it; so has one without nodes, or a pool scaled down to nothing would hold up all others. One whose nodes
 * other pools select, too, has nodes.
 */
export function awaitedBy(pool: PoolSnapshot, { pools, memories, unwritten }: Others): readonly Awaited[] {
  const ofClusters = pool.awaitedClusters ?? []
  if (!pool.policy.dependsOn?.length) return ofClusters
  const byName = new Map(pools.map((each) => [each.name, each]))
  const awaited = dependenciesOf(pool.name, byName).flatMap((name): Awaited[] => {
    const [other, memory] = [byName.get(name), memories.get(name)]
    const others = other?.awaitedClusters ?? []
    if (!other || !memory) return [...others]
    if (other.nodes.length === 0) return other.contested?.length ? [...others, allContested(name)] : [...others]
    if (!hasCompleted(other, memory)) return [...others, { pool: name, ...whatKeeps(other, memory) }]
    const why = unwritten?.get(name)
    return why === undefined ? [...others] : [...others, { pool: name, failed: false, why }]
  })
  return [...new Map([...awaited, ...ofClusters].map((each) => [each.pool, each])).values()]
}

function allContested(pool: string): Awaited {
  return { pool, failed: false, why: 'whose nodes other pools select, too' }
}

/** What keeps a pool from completing the newest commit, where an operator does or has to act. */
function whatKeeps({ name, head, controls }: PoolSnapshot, memory: Memory): Pick<Awaited, 'failed' | 'why'> {
  if (isRejected(memory, head)) return { failed: true }
  if (memory.rollback) return { failed: true, why: `which an operator rolled back (nodewave resume ${name})` }
  return { failed: false, ...(controls.paused !== undefined && { why: `which is paused (nodewave resume ${name})` }) }
}

/**
 * The newest commit is not for this pool yet. A pool that goes back to what it has completed before waits for nobody: a revert must
 * reach what is broken, also when the pool that it depends on is.
 */
export function unmetDependency({ memory, head, fleet }: PoolSnapshot): Blocker | undefined {
  const awaited = fleet?.awaited ?? []
  const [first] = awaited
  if (!first || isProven(memory, head)) return undefined
  const told = awaited.map(({ pool, failed, why }) => {
    return `"${pool}", ${why ?? (failed ? 'where it failed' : 'which has not completed it')}`
  })
  const message = `${shortName(head)} waits for ${told.join(', and for ')}`
  return { reason: 'WaitingForDependency', message, stalls: awaited.some(({ failed }) => failed) }
}

export function hasCompleted(
  { head }: { readonly head: Pick<RevisionRef, 'fingerprint'> },
  { target, history: [top] = [] }: Partial<Pick<Memory, 'target' | 'history'>>,
): boolean {
  return target?.fingerprint === head.fingerprint && top?.fingerprint === head.fingerprint && top.result === 'Completed'
}

/** Directly, or through others. */
export function isDependentOn(
  name: string,
  { pool, pools }: { readonly pool: PoolSnapshot; readonly pools: readonly PoolSnapshot[] },
): boolean {
  if (!pool.policy.dependsOn?.length) return false
  return dependenciesOf(pool.name, new Map(pools.map((each) => [each.name, each]))).includes(name)
}

/** By name, each after its own; a pool is not among its own, whatever the repository says. */
function dependenciesOf(name: string, pools: ReadonlyMap<string, PoolSnapshot>): readonly string[] {
  const seen = new Set([name])
  const found: string[] = []
  const visit = (of: string): void => {
    for (const next of [...(pools.get(of)?.policy.dependsOn ?? [])].sort()) {
      if (seen.has(next)) continue
      seen.add(next)
      visit(next)
      found.push(next)
    }
  }
  visit(name)
  return found
}
