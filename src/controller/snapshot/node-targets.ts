import { type DesiredConfig, type Disruption, greatest } from '../../protocol/desired-config.ts'
import type { NodeContent } from '../../protocol/digest.ts'
import { settingsIn, type Taint, taintName } from '../../protocol/node-settings.ts'
import { isSameData } from '../../protocol/same-data.ts'
import { SharedMap } from '../../protocol/shared-map.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'
import type { NodeTarget } from '../../rollout/model/snapshot.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { contentViolation } from '../ceilings/content-violation.ts'
import type { CompiledFleet, CompiledPool, RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { PoolRenderer, RenderableNode } from '../fleet/pool-renderer.ts'
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
  readonly byName: SharedMap<NodeTarget>
  /** The same object while all targets are found with the same: then one that has changed is of a node that has. */
  readonly basis: object
}

/**
 * What each node is to become.
 * @param before the same for an earlier pass: targets of nodes that have not changed are the same objects again, and so is the whole map if
 * all are
 */
export function wantedBy(nodes: readonly ClusterNode[], sources: WantedSources, before?: Wanted): Wanted {
  if (!before || !isSameSources(before.sources, sources) || before.nodes.length !== nodes.length)
    return wantedOfAll(nodes, sources)
  const changed: ClusterNode[] = []
  for (let index = 0; index < nodes.length; index++) {
    const known = before.nodes[index] as ClusterNode
    const node = nodes[index] as ClusterNode
    if (isSameNode(known, node)) continue
    if (known.name !== node.name) return wantedOfAll(nodes, sources)
    changed.push(node)
  }
  if (changed.length === 0) return { ...before, nodes }
  return { nodes, sources, byName: before.byName.with(targetsOf(changed, sources)), basis: before.basis }
}

function wantedOfAll(nodes: readonly ClusterNode[], sources: WantedSources): Wanted {
  return { nodes, sources, byName: SharedMap.of(targetsOf(nodes, sources)), basis: {} }
}

function targetsOf(nodes: readonly ClusterNode[], sources: WantedSources): ReadonlyMap<string, NodeTarget> {
  const render = sources.renderer.renderOf(sources.pool)
  const byName = new Map<string, NodeTarget>()
  for (const node of nodes) {
    const rendered = render(node)
    const refusal = sources.refused?.of(node, rendered)
    if (refusal?.isDue === false) byName.set(node.name, { kind: 'problem', reason: 'WriteRefused', message: refusal.message })
    else byName.set(node.name, rendered.kind === 'config' ? targetOf(node, rendered, sources) : rendered)
  }
  return byName
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

/** Nothing has changed that the target of a node is made of. */
function isSameNode(before: ClusterNode, node: ClusterNode): boolean {
  if (before === node) return true
  return (
    before.facts === node.facts &&
    before.renderedFrom === node.renderedFrom &&
    before.view.kubeletVersion === node.view.kubeletVersion &&
    evictsTheSame(before.settings?.taints, node.settings?.taints) &&
    before.current?.DIGEST === node.current?.DIGEST &&
    before.current?.POOL === node.current?.POOL
  )
}

function evictsTheSame(before: readonly Taint[] | undefined, taints: readonly Taint[] | undefined): boolean {
  return before === taints || isSameData(evictingTaints(before), evictingTaints(taints))
}

function targetOf(node: ClusterNode, rendered: RenderedConfig, sources: WantedSources): NodeTarget {
  const target = new WantedConfig(node, rendered, sources)
  const { ceiling } = sources
  const message = ceiling && contentViolation(node, { rendered, target, ceiling })
  return message === undefined ? target : { kind: 'problem', reason: 'CeilingExceeded', message }
}

/**
 * How much a node is disturbed is found out when it is asked for: of thousands that wait, only few are taken. It outlives the versions of its
 * node that it does not depend on, and keeps none of them.
 */
class WantedConfig {
  readonly kind = 'config'
  readonly digest: string
  declare readonly version?: string
  readonly #node: RenderableNode
  readonly #current: DesiredConfig | undefined
  readonly #running: string
  readonly #evicting: readonly string[]
  readonly #rendered: RenderedConfig
  readonly #sources: WantedSources
  #disruption: Disruption | undefined

  constructor({ facts, renderedFrom, current, view, settings }: ClusterNode, rendered: RenderedConfig, sources: WantedSources) {
    this.digest = rendered.digest
    if (rendered.version !== undefined) this.version = rendered.version
    this.#node = { facts, ...(renderedFrom && { renderedFrom }) }
    this.#current = current
    this.#running = view.kubeletVersion
    this.#evicting = evictingTaints(settings?.taints)
    this.#rendered = rendered
    this.#sources = sources
  }

  /** Nothing that it is made of changes: it is found out once. */
  get disruption(): Disruption {
    this.#disruption ??= this.#evictsPods() ? greatest(['drain', this.#ofContent()]) : this.#ofContent()
    return this.#disruption
  }

  /** An assignment writes all taints of Git: one that somebody has removed or changed evicts pods as a new one does. */
  #evictsPods(): boolean {
    const { host } = this.#rendered.content
    return host !== undefined && evictingTaints(settingsIn(host).taints).some((name) => !this.#evicting.includes(name))
  }

  #ofContent(): Disruption {
    if (this.#current?.DIGEST === this.digest) return 'none'
    const from = runningContent(this.#node, this.#current, this.#sources)
    const { renderer, pool } = this.#sources
    const about = { running: this.#running, rules: pool.disruption }
    return renderer.judgeDisruption(from, this.#rendered.content, about).disruption
  }
}

const NO_TAINTS: readonly Taint[] = []
const NO_NAMES: readonly string[] = []

/** Most nodes have none. With the value: pods that tolerate another one are evicted, too. */
function evictingTaints(taints: readonly Taint[] | undefined): readonly string[] {
  const evicting = taints?.filter(({ effect }) => effect === 'NoExecute') ?? NO_TAINTS
  return evicting.length === 0 ? NO_NAMES : evicting.map((taint) => `${taintName(taint)}=${taint.value ?? ''}`)
}

/** What the node runs is known by its digest alone; it is found by rendering the commits in use again. */
export function runningContent(
  node: RenderableNode,
  current: DesiredConfig | undefined,
  { pool, revisions, renderer }: Pick<WantedSources, 'pool' | 'revisions' | 'renderer'>,
): NodeContent | undefined {
  const { DIGEST, POOL = pool.name } = current ?? {}
  if (DIGEST === undefined) return undefined
  for (const fleet of revisions.values()) {
    const compiled = fleet.pools.get(POOL)
    const rendered = compiled && renderer.render(compiled, node)
    if (rendered?.kind === 'config' && rendered.digest === DIGEST) return rendered.content
  }
  return undefined
}
