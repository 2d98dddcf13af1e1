import type { Instant } from '../../rollout/model/instant.ts'
import type { Assignment } from '../../rollout/model/node-view.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'

export interface AcceptedSources {
  readonly pools: { values(): Iterable<NodePoolView> }
  readonly nodes: { values(): Iterable<ClusterNode> }
  /** Of a kept commit; undefined: an earlier release accepted it. */
  readonly acceptedAt: (commit: string) => Instant | undefined
}

/**
 * The newest commit that was accepted. What pools remember of it is kept until they remember another one: if it is not, somebody has deleted it.
 * @param kept the last accepted first
 */
export function newestAccepted(sources: AcceptedSources, kept: readonly string[]): string | undefined {
  const [newest] = kept
  const since = newest === undefined ? undefined : sources.acceptedAt(newest)
  return remembered(sources, since).find((commit) => !kept.includes(commit)) ?? newest
}

/**
 * Of a pool that has lost its status, what it assigned its nodes since the newest kept commit was accepted. What nodes had before is older, and
 * is not kept for them.
 */
function remembered({ pools, nodes }: AcceptedSources, since: Instant | undefined): readonly string[] {
  const all = [...pools.values()]
  const forgetful = new Set(all.filter((view) => acceptedBy(view).length === 0).map(({ name }) => name))
  const assigned = new Set<string>()
  if (forgetful.size > 0)
    for (const { view } of nodes.values())
      if (view.assigned?.revision && forgetful.has(view.assigned.pool) && !isBefore(view.assigned, since))
        assigned.add(view.assigned.revision)
  return [...all.flatMap(acceptedBy), ...assigned]
}

function isBefore({ at }: Assignment, since: Instant | undefined): boolean {
  return at !== undefined && since !== undefined && at < since
}

/** As its status says: one commit, or none. An earlier release remembered no more than what a pool had. */
export function acceptedBy({ status }: NodePoolView): readonly string[] {
  const { stable, target = stable, acceptedRevision = target?.revision } = status
  return acceptedRevision === undefined ? [] : [acceptedRevision]
}
