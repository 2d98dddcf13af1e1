import { isOvertaken, reportOf } from '../model/agent-report.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { PoolContext } from '../model/pool-state.ts'
import { listNames, shortName } from '../model/text.ts'

/**
 * Agents have accepted newer assignments than the cluster remembers, as after a restore of etcd, or it does not keep what the pool had: the newest
 * commit that it remembers may be an old one, and only the repository says which is the newest.
 */
export function unreadRepository({ pool, now }: PoolContext): Blocker | undefined {
  if (!pool.repositoryUnread) return undefined
  const why = newerAssignments(pool.nodes, now) ?? lostCommit(pool)
  if (why === undefined) return undefined
  const message = `${why}; which commit is the newest is not known before a valid one has been read from the repository`
  return { reason: 'RepositoryUnread', message, stalls: false }
}

function newerAssignments(nodes: readonly NodeView[], now: Instant): string | undefined {
  const ahead = nodes.filter((node) => hasNewerAssignment(node, now))
  if (ahead.length === 0) return undefined
  return `${listNames(ahead.map(({ name }) => name).sort())}: the agent accepted a newer assignment than the cluster remembers`
}

/** What a status names is never swept: somebody has deleted it. */
function lostCommit({ memory: { target, stable }, kept }: PoolContext['pool']): string | undefined {
  const lost = [target, stable].find((ref) => ref !== undefined && kept?.has(ref.revision) === false)
  return lost && `the cluster does not keep ${shortName(lost)}, which the pool had`
}

function hasNewerAssignment(node: NodeView, now: Instant): boolean {
  const report = reportOf(node)
  return node.assigned !== undefined && report !== undefined && isOvertaken(node.assigned, report, now)
}
