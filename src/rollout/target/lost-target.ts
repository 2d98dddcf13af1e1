import type { Blocker } from '../model/blocker.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { shortName, UNREAD } from '../model/text.ts'

/**
 * The cluster does not keep what pools were brought to, and the newest commit that it keeps may be an older one, of other pools and with other
 * nodes in each: only the repository says which is the newest. Until then a pool keeps its target, and all that it remembers of it; an operator
 * may send it elsewhere.
 */
export function lostTarget({ lostCommit, memory }: PoolSnapshot): Blocker | undefined {
  if (lostCommit === undefined || memory.rollback) return undefined
  const message = `the cluster does not keep ${shortName(lostCommit)}, which a pool had; ${UNREAD}`
  return { reason: 'RepositoryUnread', message, stalls: false }
}
