import { createHash } from 'node:crypto'
import type { Notification } from '../../notify/notification.ts'
import type { HistoryEntry, NodePoolStatus, PoolCondition } from '../../protocol/node-pool.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { rolloutEvent } from '../../rollout/status/pool-events.ts'

export interface NotifiedPool {
  readonly name: string
  readonly uid: string
  readonly status: Partial<NodePoolStatus>
}

/** Milliseconds: older rollouts are not reported. What blocks a pool now is reported, however old it is. */
const STALE_AFTER = 24 * 3_600_000

/**
 * That the newest rollout of a pool began, and how its rollouts ended. Pure: everything stands in the NodePool, so whoever leads tells the same,
 * by the same ids.
 */
export function rolloutNotifications(pool: NotifiedPool, now: Instant): readonly Notification[] {
  const { history = [] } = pool.status
  const told = history.map((entry, index) => [
    ...(index === 0 ? [ofRollout(pool, { ...entry, result: 'Running' }, entry.startedAt)] : []),
    ...(entry.endedAt === undefined ? [] : [ofRollout(pool, entry, entry.endedAt)]),
  ])
  return told
    .reverse()
    .flat()
    .filter(({ time }) => now - Date.parse(time) <= STALE_AFTER)
    .sort((a, b) => Date.parse(a.time) - Date.parse(b.time))
}

/** What a person has to do something about; how a rollout ended is reported by its end. */
export function obstacleNotifications(pool: NotifiedPool): readonly Notification[] {
  const { history = [], conditions = [] } = pool.status
  return conditions
    .filter((condition) => needsAPerson(condition) && !isReportedByRollout(condition, history))
    .map((condition) => ofCondition(pool, condition))
}

/** By the newest one, or by the one that failed: on its way back a pool is Stalled for that one still. */
function isReportedByRollout({ reason, lastTransitionTime }: PoolCondition, history: readonly HistoryEntry[]): boolean {
  const ended = history.filter(({ result }) => result === reason)
  return ended.some((entry) => entry === history[0] || Date.parse(entry.endedAt ?? '') >= Date.parse(lastTransitionTime))
}

/** Stalled: whatever the reason. An obstacle that ends by itself is none. */
function needsAPerson({ type, status, reason }: PoolCondition): boolean {
  return status === 'True' && (type === 'Stalled' || (type === 'Reconciling' && reason === 'WaitingForPromotion'))
}

function ofRollout(pool: NotifiedPool, entry: HistoryEntry, time: string): Notification {
  const { message: failure, ...began } = entry
  const { type: severity, reason, message } = rolloutEvent(entry.result === 'Running' ? began : entry)
  const { revision, subject, author, fingerprint, startedAt, result } = entry
  return {
    id: idOf([pool.uid, revision, fingerprint, startedAt, result, time]),
    ...{ reason, severity, pool: pool.name, time, message },
    ...commitIn({ revision, ...(subject !== undefined && { subject }), ...(author !== undefined && { author }) }),
    nodes: countsIn(pool.status),
  }
}

function ofCondition(pool: NotifiedPool, { type, reason, message, lastTransitionTime: time }: PoolCondition): Notification {
  const severity = type === 'Stalled' && reason !== 'Paused' ? 'Warning' : 'Normal'
  return {
    id: idOf([pool.uid, type, reason, time]),
    ...{ reason, severity, pool: pool.name, time, message },
    ...(pool.status.target && commitIn(pool.status.target)),
    nodes: countsIn(pool.status),
  }
}

function commitIn({ revision, subject, author }: { revision: string; subject?: string; author?: string }) {
  return {
    revision: commitOf(revision),
    ...(subject !== undefined && { subject }),
    ...(author !== undefined && { author }),
  }
}

function countsIn({ nodes }: Partial<NodePoolStatus>): Notification['nodes'] {
  return { total: nodes?.total ?? 0, current: nodes?.current ?? 0 }
}

const ID_DIGITS = 16

function idOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, ID_DIGITS)
}
