import { isOvertaken, reportOf } from '../model/agent-report.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { PoolContext } from '../model/pool-state.ts'
import { listNames, UNREAD } from '../model/text.ts'

/**
 * Agents have accepted newer assignments than the cluster remembers, as after a restore of etcd: the newest commit that it remembers may be an
 * old one, and only the repository says which is the newest.
 */
export function unreadRepository({ pool, now }: PoolContext): Blocker | undefined {
  if (!pool.repositoryUnread) return undefined
  const ahead = pool.nodes.filter((node) => hasNewerAssignment(node, now))
  if (ahead.length === 0) return undefined
  const names = listNames(ahead.map(({ name }) => name).sort())
  const message = `${names}: the agent accepted a newer assignment than the cluster remembers; ${UNREAD}`
  return { reason: 'RepositoryUnread', message, stalls: false }
}

function hasNewerAssignment(node: NodeView, now: Instant): boolean {
  const report = reportOf(node)
  return node.assigned !== undefined && report !== undefined && isOvertaken(node.assigned, report, now)
}
