import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { AssumedNodes } from '../../../src/controller/execution/assumed-nodes.ts'
import type { NodeAction } from '../../../src/controller/execution/node-patch.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { CachedNode } from './world.ts'

/** Patches of nodes that were sent and have not arrived: the controller passes again meanwhile, and counts on them. */
export class WritesUnderWay {
  readonly #assumed = new AssumedNodes()
  #writes: { readonly node: string; readonly arrive: () => void }[] = []

  send(seen: CachedNode, action: NodeAction, arrive: () => void): void {
    if (this.#assumed.has(seen.name)) return
    this.#assumed.assume(seen as unknown as ClusterNode, action, seen.pool)
    this.#writes.push({ node: seen.name, arrive })
  }

  has(node: string): boolean {
    return this.#assumed.has(node)
  }

  /** As it will be. */
  of(seen: CachedNode, now: Instant): CachedNode {
    return this.#assumed.of(seen as unknown as ClusterNode, now) as unknown as CachedNode
  }

  arrive(): void {
    const writes = this.#writes
    this.#writes = []
    for (const { node, arrive } of writes) {
      this.#assumed.end(node)
      arrive()
    }
  }
}
