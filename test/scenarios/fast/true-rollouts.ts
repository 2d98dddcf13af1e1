import type { Memory } from '../../../src/rollout/model/snapshot.ts'
import type { SimNode } from './sim-node.ts'

/** What really happened to one pool, whatever becomes of what it remembers. */
interface TruePool {
  /** The content that the rollout is about. */
  target: string | undefined
  /** Nodes that were sound when this rollout changed them. */
  readonly exposed: Set<SimNode>
  /** Fingerprints of content that failed here, and that nobody had tried again since. */
  readonly failed: Set<string>
}

/** What the controller did, told by its writes: no tool can change it. */
export class TrueRollouts {
  readonly #pools = new Map<string, TruePool>()

  of(pool: string): TruePool {
    const known = this.#pools.get(pool) ?? { target: undefined, exposed: new Set(), failed: new Set() }
    this.#pools.set(pool, known)
    return known
  }

  /** @returns whether this rollout had not changed the node before */
  expose(pool: string, node: SimNode): boolean {
    const { exposed } = this.of(pool)
    const isFirst = !exposed.has(node)
    exposed.add(node)
    return isFirst
  }

  /** A status was written over what the controller had read of it and of its notes. */
  wrote(pool: string, before: Memory, after: Memory): void {
    const known = this.of(pool)
    if (known.target !== after.target?.fingerprint) known.exposed.clear()
    known.target = after.target?.fingerprint
    const wasFailed = new Set(before.rejected.map(({ fingerprint }) => fingerprint))
    const isFailed = new Set(after.rejected.map(({ fingerprint }) => fingerprint))
    for (const fingerprint of isFailed) if (!wasFailed.has(fingerprint)) known.failed.add(fingerprint)
    if (before.observedControls?.retry === after.observedControls?.retry) return
    for (const fingerprint of known.failed) if (!isFailed.has(fingerprint)) known.failed.delete(fingerprint)
  }

  /** People or Git want something else: another rollout may begin, also of the same content. */
  begin(pool?: string): void {
    for (const [name, { exposed }] of this.#pools) if (pool === undefined || name === pool) exposed.clear()
  }
}
