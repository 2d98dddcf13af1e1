import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import { recallStable } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot, Revision } from '../model/snapshot.ts'
import { isAssigned } from '../model/wanted-assignment.ts'
import { commitsOf } from './history.ts'

/**
 * When a run began that the status does not know, because it was lost, or an older one was restored: with the first node that the pool
 * assigned its content, or that of its commit for other labels. What failed since then still counts.
 * @returns undefined when no node shows such a run
 */
export function traceStart(pool: PoolSnapshot, target: Revision): Instant | undefined {
  const stable = recallStable(pool, pool.memory)
  const isUnknown = unknownTo(pool.memory, target)
  const starts = pool.nodes.flatMap((node) => {
    const { assigned } = node
    if (assigned?.at === undefined || assigned.pool !== pool.name || isAssigned(node, stable?.wanted.get(node.name))) return []
    return isOf(node, target) && isUnknown(assigned.revision, assigned.at) ? [assigned.at] : []
  })
  return starts.length === 0 ? undefined : Math.min(...starts)
}

function isOf(node: NodeView, target: Revision): boolean {
  return isAssigned(node, target.wanted.get(node.name)) || node.assigned?.revision === target.revision
}

/** After all that the status tells of; or, where a clock was put back in between, by the commit alone. */
function unknownTo({ history }: Memory, target: Revision): (commit: string, at: Instant) => boolean {
  const [top] = history
  const knownUntil = top ? Date.parse(top.endedAt ?? top.startedAt) : Number.NEGATIVE_INFINITY
  const knownCommits = new Set(history.flatMap(commitsOf))
  const isNew = !history.some(({ fingerprint }) => fingerprint === target.fingerprint)
  return (commit, at) => !knownCommits.has(commit) && (at > knownUntil || (isNew && commit === target.revision))
}
