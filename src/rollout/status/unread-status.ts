import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import { POOL_CONDITIONS } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { type Instant, stamp } from '../model/instant.ts'
import { UNREAD } from '../model/text.ts'
import type { Explanation } from './explanation.ts'

export interface UnreadRepository {
  /** The newest commit that was accepted: the cluster does not keep it, or it cannot be read. */
  readonly lost: string
  /** The newest commit of the branch, which is not accepted; absent: none was read. */
  readonly observed?: string | undefined
  /** Why it is not: somebody has to act. Its reason is the one that commands and commit statuses look for. */
  readonly obstacle?: Explanation | undefined
  /** Why the repository cannot be read now. */
  readonly trouble?: string | undefined
  readonly now: Instant
}

const REMEMBERED = ['nodes', 'failed', 'rejected', 'rollbackTo', 'held', 'controls', 'history', 'conditions'] as const

/** The controller has written it. */
export function isWritten(status: Partial<NodePoolStatus>): status is NodePoolStatus {
  return REMEMBERED.every((member) => status[member] !== undefined)
}

/** @param lost the newest commit that was accepted: the cluster does not keep it, or it cannot be read */
export function unreadText(lost: string): string {
  const what = `the cluster does not keep ${shortRevision(lost, 7)}, the newest accepted commit, or what it keeps of it cannot be read`
  return `${what}; ${UNREAD}, and nothing is changed until then`
}

/** Of a pool about which nothing is decided: all that it remembers stays as it is. */
export function unreadStatus(
  status: NodePoolStatus,
  { lost, observed, obstacle, trouble, now }: UnreadRepository,
): NodePoolStatus {
  const why = obstacle?.message ?? trouble
  const unread = { reason: 'RepositoryUnread', message: `${unreadText(lost)}${why === undefined ? '' : `: ${why}`}` } as const
  const holding = obstacle === undefined ? 'Reconciling' : 'Stalled'
  const conditions = POOL_CONDITIONS.map((type) => {
    const before = status.conditions.find((condition) => condition.type === type)
    const holds = type === holding ? ('True' as const) : ('False' as const)
    const lastTransitionTime = before?.status === holds ? before.lastTransitionTime : stamp(now)
    return { ...before, type, status: holds, ...(type === 'Stalled' && obstacle ? obstacle : unread), lastTransitionTime }
  })
  return { ...status, ...(observed !== undefined && { observedRevision: observed }), conditions }
}
