import { createDisruptionJudge, type JudgeDisruption } from '../../render/disruption.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'
import type { ClusterNode } from '../cache/node-view.ts'
import type { CompiledPool, Rendered } from '../revisions/compiled-fleet.ts'

/**
 * Renders each node once for all commits at which its pool is the same. What a node is to become depends on what is seen of
 * it besides, so the memory is by the node's view, which stays the same object while nothing visible changes.
 */
export class PoolRenderer {
  /** By pool and fingerprint. Views that are gone take their entries with them. */
  #rendered = new Map<string, WeakMap<NodeView, Rendered>>()
  #judge = createDisruptionJudge()

  /** Remembers the documents that it compared: thousands of nodes that wait share them, and are asked about in every pass. */
  get judgeDisruption(): JudgeDisruption {
    return this.#judge
  }

  render(pool: CompiledPool, node: ClusterNode): Rendered {
    return this.renderOf(pool)(node)
  }

  /** For many nodes of one pool. */
  renderOf(pool: CompiledPool): (node: ClusterNode) => Rendered {
    const known = this.#memory(pool)
    return (node) => {
      const before = known.get(node.view)
      if (before) return before
      const rendered = pool.render(node)
      known.set(node.view, rendered)
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

  #memory(pool: CompiledPool): WeakMap<NodeView, Rendered> {
    const key = keyOf(pool)
    const known = this.#rendered.get(key) ?? new WeakMap<NodeView, Rendered>()
    this.#rendered.set(key, known)
    return known
  }
}

function keyOf({ name, fingerprint }: CompiledPool): string {
  return `${name} ${fingerprint}`
}
