import { createDisruptionJudge, type JudgeDisruption } from '../../render/disruption.ts'
import type { NodeFacts } from '../../render/node-facts.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { factsFor } from '../cache/rendered-from.ts'
import type { CompiledPool, Rendered } from './compiled-fleet.ts'

export type RenderableNode = Pick<ClusterNode, 'facts' | 'renderedFrom'>

/**
 * Renders each node once for all commits at which its pool is the same. The memory is by the node's facts, which stay the same object
 * while nothing changes that rendering may know.
 */
export class PoolRenderer {
  /** By pool and fingerprint. Facts that are gone take their entries with them. */
  #rendered = new Map<string, WeakMap<NodeFacts, Rendered>>()
  #judge = createDisruptionJudge()

  /** Remembers the documents that it compared: thousands of nodes that wait share them, and are asked about in every pass. */
  get judgeDisruption(): JudgeDisruption {
    return this.#judge
  }

  render(pool: CompiledPool, node: RenderableNode): Rendered {
    return this.renderOf(pool)(node)
  }

  /** For many nodes of one pool. */
  renderOf(pool: CompiledPool): (node: RenderableNode) => Rendered {
    const known = this.#memory(pool)
    return (node) => {
      const facts = factsFor(node, pool)
      const before = known.get(facts)
      if (before) return before
      const rendered = pool.render(facts)
      known.set(facts, rendered)
      return rendered
    }
  }

  /** Forgets what was rendered of all others. */
  retain(pools: readonly CompiledPool[]): void {
    const keys = new Set(pools.map(keyOf))
    const gone = [...this.#rendered.keys()].filter((key) => !keys.has(key))
    for (const key of gone) this.#rendered.delete(key)
    if (gone.length > 0) this.#judge = createDisruptionJudge()
  }

  #memory(pool: CompiledPool): WeakMap<NodeFacts, Rendered> {
    const key = keyOf(pool)
    const known = this.#rendered.get(key) ?? new WeakMap<NodeFacts, Rendered>()
    this.#rendered.set(key, known)
    return known
  }
}

function keyOf({ name, fingerprint }: CompiledPool): string {
  return `${name} ${fingerprint}`
}
