import type { Blocker } from '../model/blocker.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { shortName, UNREAD } from '../model/text.ts'

/**
 * The cluster does not keep what the pool was brought to, and the newest commit that it keeps may be an older one: only the repository says which
 * is the newest. What a status names is never swept, so somebody has deleted it. Until then the pool keeps its target, and all that it remembers
 * of it; an operator may send it elsewhere. Also where the content is the same: the older commit may have it for other nodes.
 */
export function lostTarget({ repositoryUnread, memory, kept }: PoolSnapshot): Blocker | undefined {
  const { rollback, stable, target = stable } = memory
  if (!repositoryUnread || rollback || !target || kept?.has(target.revision) !== false) return undefined
  const message = `the cluster does not keep ${shortName(target)}, which the pool had; ${UNREAD}`
  return { reason: 'RepositoryUnread', message, stalls: false }
}
