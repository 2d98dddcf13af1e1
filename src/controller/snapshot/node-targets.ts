import type { Disruption } from '../../protocol/desired-config.ts'
import type { NodeContent } from '../../protocol/digest.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'
import type { NodeTarget } from '../../rollout/model/snapshot.ts'
import type { ClusterNode } from '../cache/node-view.ts'
import { contentViolation } from '../ceilings/content-violation.ts'
import type { CompiledFleet, CompiledPool, RenderedConfig } from '../revisions/compiled-fleet.ts'
import type { PoolRenderer } from './pool-renderer.ts'
import type { RefusedWrites } from './refused-writes.ts'

export interface WantedSources {
  readonly pool: CompiledPool
  /** Commits at which to look for what the node runs now. */
  readonly revisions: ReadonlyMap<string, CompiledFleet>
  readonly renderer: PoolRenderer
  /** Absent: anything is allowed. */
  readonly ceiling?: Ceiling | undefined
  /** Absent: the server refuses nothing. */
  readonly refused?: RefusedWrites | undefined
}

/** What each node is to become, and what that was found with. */
export interface Wanted {
  readonly nodes: readonly ClusterNode[]
  readonly sources: WantedSources
  readonly byName: ReadonlyMap<string, NodeTarget>
}

/**
 * What each node is to become.
 * @param before the same for an earlier pass: targets of nodes that have not changed are the same objects again, and so is the whole map if
 * all are
 */
export function wantedBy(nodes: readonly ClusterNode[], sources: WantedSources, before?: Wanted): Wanted {
  if (!before || !isSameSources(before.sources, sources) || !isSameList(before.nodes, nodes)) return wantedAnew(nodes, sources)
  const changed = nodes.filter((node, index) => !isSameNode(before.nodes[index], node))
  if (changed.length === 0) return { ...before, nodes }
  const byName = new Map(before.byName)
  for (const [name, target] of wantedAnew(changed, sources).byName) byName.set(name, target)
  return { nodes, sources, byName }
}

function wantedAnew(nodes: readonly ClusterNode[], sources: WantedSources): Wanted {
  const render = sources.renderer.renderOf(sources.pool)
  const byName = new Map<string, NodeTarget>()
  for (const node of nodes) {
    const rendered = render(node)
    const refusal = sources.refused?.of(node, rendered)
    if (refusal?.isDue === false) byName.set(node.name, { kind: 'problem', reason: 'WriteRefused', message: refusal.message })
    else byName.set(node.name, rendered.kind === 'config' ? targetOf(node, rendered, sources) : rendered)
  }
  return { nodes, sources, byName }
}

function isSameSources(a: WantedSources, b: WantedSources): boolean {
  const [before, after] = [[...a.revisions.values()], [...b.revisions.values()]]
  return (
    a.pool === b.pool &&
    a.renderer === b.renderer &&
    a.ceiling === b.ceiling &&
    a.refused === undefined &&
    b.refused === undefined &&
    before.length === after.length &&
    before.every((fleet, index) => fleet === after[index])
  )
}

/** The same names in the same order. */
function isSameList(before: readonly ClusterNode[], nodes: readonly ClusterNode[]): boolean {
  return before.length === nodes.length && nodes.every(({ name }, index) => before[index]?.name === name)
}

/** A heartbeat makes another object of a node in which these are the same. */
function isSameNode(before: ClusterNode | undefined, { view, current }: ClusterNode): boolean {
  return before?.view === view && before.current === current
}

function targetOf(node: ClusterNode, rendered: RenderedConfig, sources: WantedSources): NodeTarget {
  const target = new WantedConfig(node, rendered, sources)
  const { ceiling } = sources
  const message = ceiling && contentViolation(node, { rendered, target, ceiling })
  return message === undefined ? target : { kind: 'problem', reason: 'CeilingExceeded', message }
}

/** How much a node is disturbed is found out when it is asked for: of thousands that wait, only few are taken. */
class WantedConfig {
  readonly kind = 'config'
  readonly digest: string
  declare readonly version?: string
  readonly #node: ClusterNode
  readonly #rendered: RenderedConfig
  readonly #sources: WantedSources

  constructor(node: ClusterNode, rendered: RenderedConfig, sources: WantedSources) {
    this.digest = rendered.digest
    if (rendered.version !== undefined) this.version = rendered.version
    this.#node = node
    this.#rendered = rendered
    this.#sources = sources
  }

  get disruption(): Disruption {
    const { current, view } = this.#node
    if (current?.DIGEST === this.digest) return 'none'
    const from = runningContent(this.#node, this.#sources)
    const { renderer, pool } = this.#sources
    const about = { running: view.kubeletVersion, rules: pool.disruption }
    return renderer.judgeDisruption(from, this.#rendered.content, about).disruption
  }
}

/** What the node runs is known by its digest alone; it is found by rendering the commits in use again. */
function runningContent(node: ClusterNode, { pool, revisions, renderer }: WantedSources): NodeContent | undefined {
  const { DIGEST, POOL = pool.name } = node.current ?? {}
  if (DIGEST === undefined) return undefined
  for (const fleet of revisions.values()) {
    const compiled = fleet.pools.get(POOL)
    const rendered = compiled && renderer.render(compiled, node)
    if (rendered?.kind === 'config' && rendered.digest === DIGEST) return rendered.content
  }
  return undefined
}
