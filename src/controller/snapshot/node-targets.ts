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

/** What each node is to become, by name. */
export function wantedBy(nodes: readonly ClusterNode[], sources: WantedSources): ReadonlyMap<string, NodeTarget> {
  const render = sources.renderer.renderOf(sources.pool)
  const wanted = new Map<string, NodeTarget>()
  for (const node of nodes) {
    const rendered = render(node)
    const refusal = sources.refused?.of(node, rendered)
    if (refusal?.isDue === false) wanted.set(node.name, { kind: 'problem', reason: 'WriteRefused', message: refusal.message })
    else wanted.set(node.name, rendered.kind === 'config' ? targetOf(node, rendered, sources) : rendered)
  }
  return wanted
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
