import type { Instant } from '../../rollout/model/instant.ts'
import { nameOf, type Readable } from '../cache/access-objects.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { StoredConfigMap } from '../cache/stored-config-map.ts'
import type { ConfigMapStore } from '../config-maps/config-map-store.ts'
import { sweep } from '../config-maps/sweep.ts'
import type { CompiledFleet, RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { PoolRenderer } from '../fleet/pool-renderer.ts'
import type { AccessNeed } from '../payload-access/grant-missing.ts'
import type { PayloadAccess } from '../payload-access/payload-access.ts'
import { readablesOf } from '../payload-access/readables-of.ts'
import { type AccessUpdate, updateAccess } from '../payload-access/update-access.ts'
import { commitsToKeep } from '../revisions/commits-in-use.ts'
import type { RevisionStore } from '../revisions/revision-store.ts'
import type { Gathered } from '../snapshot/gather.ts'
import { Steps } from './steps.ts'

/** How often to look, in milliseconds, when no commit arrives. */
const EVERY = 10 * 60_000

export interface GarbageSources {
  readonly cluster: Pick<ClusterCache, 'nodes' | 'pools'>
  readonly store: RevisionStore
  readonly renderer: PoolRenderer
  readonly payloads: readonly ConfigMapStore[]
  /** Absent: somebody else says who may read payloads. */
  readonly access?: PayloadAccess | undefined
}

/** What the nodes may be brought to. */
type Rendering = Pick<Gathered, 'revisions' | 'members'>

/** What a node is to read at some revision. */
interface NodePayloads {
  readonly node: ClusterNode
  readonly payloads: RenderedConfig['payloads']
}

/**
 * Sweeps away revisions beyond the history limit, and payloads that nobody names any more; gives nodes the access to their payloads that
 * they lack. Looks after each new commit, and now and then.
 */
export class GarbageCollector {
  readonly #sources: GarbageSources
  #last = { commit: '', at: 0 }

  constructor(sources: GarbageSources) {
    this.#sources = sources
  }

  /** @returns whether there is nothing left to sweep away now */
  async collect({
    fleet,
    gathered,
    now,
  }: {
    readonly fleet: CompiledFleet
    readonly gathered: Rendering
    readonly now: Instant
  }): Promise<{ readonly isDone: boolean }> {
    const { cluster, store, payloads, access } = this.#sources
    const kept = store.list().map((revision) => revision.commit)
    const needed = commitsToKeep(cluster.pools.items.values(), kept).add(fleet.commit)
    const steps = new Steps()
    await steps.take(async () => {
      await store.reclaim(needed)
      return { isDone: true }
    })
    if (this.#last.commit === fleet.commit && now - this.#last.at < EVERY) return steps.end()
    await steps.take(() => store.collect({ needed, limit: fleet.historyLimit, now }))
    const keptCommits = new Set(store.list().map((revision) => revision.commit))
    const named = this.#namedPayloads(gathered)
    const isKept = ({ name, revision }: StoredConfigMap) => named.has(name) || keptCommits.has(revision)
    for (const kept of payloads) await steps.take(() => sweep(kept, { isNeeded: isKept, now }))
    if (access) await steps.take(() => updateAccess(access, { ...this.#accessNeeds(gathered), now }))
    const { isDone } = steps.end()
    if (isDone) this.#last = { commit: fleet.commit, at: now }
    return { isDone }
  }

  /** When rights are compared again though nothing changes; a look that begins now is taken to end well. Undefined: there are none. */
  nextLook(now: Instant): Instant | undefined {
    if (this.#sources.access === undefined) return undefined
    const due = this.#last.at + EVERY
    return due > now ? due : now + EVERY
  }

  /** Those in annotations of nodes, and those that revisions in use render to. */
  #namedPayloads(gathered: Rendering): ReadonlySet<string> {
    const named = new Set<string>()
    for (const { payloads } of this.#sources.cluster.nodes.items.values()) for (const name of payloads) named.add(name)
    for (const { payloads } of this.#renderings(gathered)) for (const { name } of payloads) named.add(name)
    return named
  }

  #accessNeeds(gathered: Rendering): Omit<AccessUpdate, 'now'> {
    const { cluster } = this.#sources
    const needs: AccessNeed[] = []
    const ofNodes = new Map<string, Set<string>>()
    for (const { node, payloads } of this.#renderings(gathered)) {
      const ofNode = ofNodes.get(node.name) ?? new Set()
      ofNodes.set(node.name, ofNode)
      for (const { name } of payloads) ofNode.add(name)
      // Rendered for this node, too: what an annotation names alone may be anybody's.
      const own = payloads.filter(({ name }) => node.payloads.includes(name))
      if (own.length > 0) needs.push({ node, readable: readablesOf({ payloads: own }) })
    }
    const isOwn = (node: ClusterNode, name: string) => node.payloads.includes(name) || ofNodes.get(node.name)?.has(name) === true
    const isNeeded = (name: string, readable: Readable): boolean => {
      const node = cluster.nodes.get(name)
      return node !== undefined && isOwn(node, nameOf(readable))
    }
    return { needs, isNeeded }
  }

  /** What each member of each pool is to read at each revision in use. */
  *#renderings({ revisions, members }: Rendering): Iterable<NodePayloads> {
    for (const fleet of revisions.values())
      for (const pool of fleet.pools.values())
        for (const node of members.byPool.get(pool.name) ?? []) {
          const rendered = this.#sources.renderer.render(pool, node)
          if (rendered.kind === 'config') yield { node, payloads: rendered.payloads }
        }
  }
}
