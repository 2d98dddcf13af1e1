import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'

export interface AcceptedSources {
  readonly pools: { values(): Iterable<NodePoolView> }
  readonly nodes: { values(): Iterable<ClusterNode> }
}

/**
 * The newest commit that was accepted. What pools remember of it is kept until they remember another one: if it is not, somebody has deleted it.
 * @param kept the last accepted first
 */
export function newestAccepted(sources: AcceptedSources, kept: readonly string[]): string | undefined {
  return remembered(sources).find((commit) => !kept.includes(commit)) ?? kept[0]
}

/** Of a pool that has lost its status, what it assigned its nodes. */
function remembered({ pools, nodes }: AcceptedSources): readonly string[] {
  const all = [...pools.values()]
  const forgetful = new Set(all.filter((view) => acceptedBy(view).length === 0).map(({ name }) => name))
  const assigned = new Set<string>()
  if (forgetful.size > 0)
    for (const { view } of nodes.values())
      if (view.assigned?.revision && forgetful.has(view.assigned.pool)) assigned.add(view.assigned.revision)
  return [...all.flatMap(acceptedBy), ...assigned]
}

/** As its status says: one commit, or none. An earlier release remembered no more than what a pool had. */
export function acceptedBy({ status }: NodePoolView): readonly string[] {
  const { stable, target = stable, acceptedRevision = target?.revision } = status
  return acceptedRevision === undefined ? [] : [acceptedRevision]
}
