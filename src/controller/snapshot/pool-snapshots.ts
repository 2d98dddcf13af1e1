import { isDeepStrictEqual } from 'node:util'
import { mapOnce } from '../../protocol/map-once.ts'
import type { RevisionRef } from '../../protocol/node-pool.ts'
import { isSameData } from '../../protocol/same-data.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'
import type { Awaited } from '../../rollout/model/fleet-facts.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { NodePods, NodeView, ProofPods } from '../../rollout/model/node-view.ts'
import type { GateAnswer, Memory, PoolSnapshot, Revision } from '../../rollout/model/snapshot.ts'
import { NO_MEMORY, withMemory } from '../../rollout/model/snapshot.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'
import type { CompiledFleet, CompiledPool } from '../fleet/compiled-fleet.ts'
import type { PoolRenderer } from '../fleet/pool-renderer.ts'
import { controlKey, type Refusal } from '../writes/write-failures.ts'
import { type Wanted, wantedBy } from './node-targets.ts'
import { refusedProofs } from './refused-proofs.ts'
import { refusedWrites } from './refused-writes.ts'

/** All that a pool's snapshot is made of. */
export interface PoolSources {
  readonly pool: CompiledPool
  readonly head: CompiledFleet
  readonly problem: string | undefined
  readonly unread: true | undefined
  readonly untrusted: string | undefined
  readonly held: string | undefined
  readonly view: NodePoolView | undefined
  /** What failed here, by the status and by what is noted beside it. */
  readonly rejected?: readonly RevisionRef[]
  readonly nodes: readonly ClusterNode[]
  /** Of nodes under drain. */
  readonly pods: ReadonlyMap<string, NodePods>
  readonly proofs: ProofPods | undefined
  readonly contested: readonly string[]
  /** Other commits that the pool may be brought to. */
  readonly known: readonly CompiledFleet[]
  readonly ceiling?: Ceiling | undefined
  readonly steadySince: Instant | undefined
  readonly watchedSince: Instant | undefined
  readonly listedAt: Instant | undefined
  /** What the server refuses to write, of whatever pool. */
  readonly refusals: readonly Refusal[]
  /** Commits that the cluster keeps. */
  readonly kept: readonly string[]
  /** The same array for as long as no gate has said anything new. */
  readonly gateAnswers: readonly GateAnswer[]
  /** Pools of other clusters that are waited for. */
  readonly awaitedClusters: readonly Awaited[]
}

export interface Rendering {
  readonly renderer: PoolRenderer
  /** Commits at which to look for what nodes run now. */
  readonly revisions: ReadonlyMap<string, CompiledFleet>
}

interface Made {
  readonly sources: PoolSources
  readonly snapshot: PoolSnapshot
  /** By fingerprint. */
  readonly wanted: WantedByContent
}

type WantedByContent = ReadonlyMap<string, Wanted>

/** Gives the same snapshot again for as long as nothing has changed that it is made of: then the last decision holds, too. */
export class PoolSnapshots {
  readonly #last = new Map<string, Made>()
  readonly #views = new Map<string, (nodes: readonly ClusterNode[]) => readonly NodeView[]>()

  of(sources: PoolSources, rendering: Rendering): PoolSnapshot {
    const last = this.#last.get(sources.pool.name)
    if (last && isSame(last.sources, sources)) return this.#remembering(last, sources)
    const wanted = wantedAt(sources, rendering, last?.wanted)
    const snapshot = snapshotOf(sources, { ...rendering, wanted, views: this.#viewsOf(sources) })
    this.#last.set(sources.pool.name, { sources, snapshot, wanted })
    return snapshot
  }

  /** What was made of other pools is dropped: they are gone from the fleet. */
  retain(pools: { has(name: string): boolean }): void {
    for (const name of this.#last.keys()) if (!pools.has(name)) this.#last.delete(name)
    for (const name of this.#views.keys()) if (!pools.has(name)) this.#views.delete(name)
  }

  #viewsOf({ pool: { name }, nodes }: PoolSources): readonly NodeView[] {
    const viewsOf = this.#views.get(name) ?? mapOnce(({ view }: ClusterNode) => view)
    this.#views.set(name, viewsOf)
    return viewsOf(nodes)
  }

  /** The same parts, and another memory only if it says something else: a status comes back from each write as another object. */
  #remembering(last: Made, sources: PoolSources): PoolSnapshot {
    const { rejected, view } = sources
    const says = isSameData(last.sources.view?.status, view?.status) ? last.snapshot.memory : memoryOf({ rejected, view })
    const snapshot = withMemory(last.snapshot, says)
    this.#last.set(sources.pool.name, { ...last, sources, snapshot })
    return snapshot
  }
}

function memoryOf({ rejected, view }: { readonly [Part in 'rejected' | 'view']: PoolSources[Part] | undefined }): Memory {
  return { ...NO_MEMORY, ...view?.status, ...(rejected && { rejected }) }
}

/** Of each content that the pool may be brought to: commits that change nothing here share it. */
function wantedAt(
  { pool, known, nodes, refusals, ceiling }: PoolSources,
  { renderer, revisions }: Rendering,
  before: WantedByContent | undefined,
): WantedByContent {
  const refused = refusedWrites(refusals)
  const wanted = new Map<string, Wanted>()
  for (const compiled of compiledAt(pool, known)) {
    const { fingerprint } = compiled
    if (wanted.has(fingerprint)) continue
    wanted.set(fingerprint, wantedBy(nodes, { pool: compiled, revisions, renderer, refused, ceiling }, before?.get(fingerprint)))
  }
  return wanted
}

function compiledAt(pool: CompiledPool, known: readonly CompiledFleet[]): readonly CompiledPool[] {
  return [pool, ...known.flatMap((fleet) => fleet.pools.get(pool.name) ?? [])]
}

/** All but what the status remembers. */
function isSame(a: PoolSources, b: PoolSources): boolean {
  return (
    a.pool === b.pool &&
    a.head === b.head &&
    a.problem === b.problem &&
    a.unread === b.unread &&
    a.untrusted === b.untrusted &&
    a.held === b.held &&
    isSameData(a.view?.controls, b.view?.controls) &&
    isDeepStrictEqual(a.rejected, b.rejected) &&
    a.ceiling === b.ceiling &&
    a.steadySince === b.steadySince &&
    a.watchedSince === b.watchedSince &&
    a.listedAt === b.listedAt &&
    isDeepStrictEqual(a.refusals, b.refusals) &&
    a.gateAnswers === b.gateAnswers &&
    isDeepStrictEqual(a.awaitedClusters, b.awaitedClusters) &&
    a.proofs === b.proofs &&
    isSameList([...a.pods.keys(), ...a.pods.values()], [...b.pods.keys(), ...b.pods.values()]) &&
    isSameList(a.contested, b.contested) &&
    isSameList(a.known, b.known) &&
    isSameList(a.kept, b.kept) &&
    a.nodes.length === b.nodes.length &&
    a.nodes.every((node, index) => node === b.nodes[index] || node.view === b.nodes[index]?.view)
  )
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

function snapshotOf(
  {
    pool,
    head,
    problem,
    unread,
    untrusted,
    held,
    view,
    rejected,
    nodes,
    pods,
    proofs,
    contested,
    known,
    kept,
    ceiling,
    steadySince,
    watchedSince,
    listedAt,
    gateAnswers,
    awaitedClusters,
    refusals,
  }: PoolSources,
  {
    renderer,
    wanted,
    views,
  }: Pick<Rendering, 'renderer'> & { readonly wanted: WantedByContent; readonly views: readonly NodeView[] },
): PoolSnapshot {
  const refused = refusedWrites(refusals)
  const revisionAt = (fleet: CompiledFleet, compiled: CompiledPool): Revision => ({
    revision: fleet.commit,
    fingerprint: compiled.fingerprint,
    author: fleet.author,
    subject: fleet.subject,
    wanted: wanted.get(compiled.fingerprint)?.byName ?? new Map(),
    basis: wanted.get(compiled.fingerprint)?.basis,
  })
  const others = known.flatMap((fleet) => {
    const compiled = fleet.pools.get(pool.name)
    return compiled ? [[fleet.commit, revisionAt(fleet, compiled)] as const] : []
  })
  const compiledPools = compiledAt(pool, known)
  const told = [
    ...(refused?.concerning(nodes, (node) => compiledPools.map((compiled) => renderer.render(compiled, node))) ?? []),
    ...refusedProofs(nodes, { refusals, proofs }),
  ]
  const refusedClear = refusals.find(({ object }) => object === controlKey(pool.name))?.message
  return {
    name: pool.name,
    policy: pool.policy,
    nodes: views,
    pods,
    ...(proofs && { proofs }),
    head: revisionAt(head, pool),
    known: new Map(others),
    kept: new Set(kept),
    memory: memoryOf({ rejected, view }),
    controls: view?.controls ?? {},
    contested,
    gateAnswers,
    ...(awaitedClusters.length > 0 && { awaitedClusters }),
    ...(told.length > 0 && { refusedWrites: told }),
    ...(refusedClear !== undefined && { refusedClear }),
    ...(ceiling && { ceiling, places: pool.places ?? {} }),
    ...(steadySince !== undefined && { steadySince }),
    ...(watchedSince !== undefined && { watchedSince }),
    ...(listedAt !== undefined && { listedAt }),
    ...(problem !== undefined && { repositoryProblem: problem }),
    ...(unread && { repositoryUnread: unread }),
    ...(untrusted !== undefined && { untrustedCommit: untrusted }),
    ...(held !== undefined && { unpromotedCommit: held }),
  }
}
