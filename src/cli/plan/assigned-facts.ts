import { factsFor } from '../../controller/cache/rendered-from.ts'
import type { NodeFacts } from '../../render/node-facts.ts'
import { poolFingerprint } from '../../render/pool-fingerprint.ts'
import type { FleetModel } from '../../repo/model.ts'
import type { GivenNode } from '../../simulate/given-node.ts'

/** What the controller renders nodes from at a commit: one that was resized keeps its numbers with the content that it has. */
export function assignedFacts(nodes: readonly GivenNode[]): (model: FleetModel) => (pool: string, node: NodeFacts) => NodeFacts {
  const noted = new Map(nodes.flatMap(({ name, renderedFrom }) => (renderedFrom ? [[name, renderedFrom] as const] : [])))
  return (model) => {
    const fingerprints = new Map<string, string>()
    return (pool, facts) => {
      const renderedFrom = noted.get(facts.name)
      if (renderedFrom === undefined) return facts
      const fingerprint = fingerprints.get(pool) ?? poolFingerprint(model, pool)
      fingerprints.set(pool, fingerprint)
      return factsFor({ facts, renderedFrom }, { fingerprint, readsCapacity: true })
    }
  }
}
