import type { Channel, Notification } from '../../notify/notification.ts'
import { type Instant, isFromAhead } from '../../rollout/model/instant.ts'
import { markOf, type SentMarks } from './sent-record.ts'

export interface DueInput {
  readonly wanted: readonly Notification[]
  readonly told: SentMarks
  /** When notifications were sent within the last minute. */
  readonly sentAt: readonly Instant[]
  readonly channel: Pick<Channel, 'perMinute'>
}

export interface Due {
  readonly due: readonly Notification[]
  readonly wakeAt: Instant | undefined
}

/** Milliseconds. Conditions that come and go at once are no news; nor is it when one obstacle shows the next. */
const SETTLED_AFTER = 10_000
export const MINUTE = 60_000

/** @returns what to send now, oldest first, and when there will be more though nothing changes */
export function dueNotifications({ wanted, told, sentAt, channel }: DueInput, now: Instant): Due {
  const fresh = wanted.filter((each) => !told.get(each.pool)?.includes(markOf(each)))
  const [young, settled] = [fresh.filter((each) => isYoung(each, now)), fresh.filter((each) => !isYoung(each, now))]
  const free = Math.max(0, channel.perMinute - sentAt.length)
  const waits = [
    ...young.map(({ time }) => Date.parse(time) + SETTLED_AFTER),
    ...(settled.length > free ? [(sentAt[0] ?? now) + MINUTE] : []),
  ]
  return { due: settled.slice(0, free), wakeAt: waits.length === 0 ? undefined : Math.min(...waits) }
}

/** What is stamped by a clock that was further ahead, of another leader or put back since, would be told when that time comes. */
function isYoung({ time }: Notification, now: Instant): boolean {
  const at = Date.parse(time)
  return now - at < SETTLED_AFTER && !isFromAhead(at, { now, longest: MINUTE })
}

/** What is remembered beside what still stands in NodePools: of one pool, and of all, since it stands in one object. */
const REMEMBERED = 30
const MOST_REMEMBERED = 30_000

export interface CurrentPools {
  readonly pools: ReadonlySet<string>
  /** What pools say now: forgotten, it would be sent again. Bounded by the history of each pool. */
  readonly wanted: readonly Notification[]
}

/** @returns with these as sent, and without pools that are no more */
export function withSent(told: SentMarks, added: readonly Notification[], { pools, wanted }: CurrentPools): SentMarks {
  const news = Map.groupBy(added, ({ pool }) => pool)
  const names = new Set([...[...told.keys()].filter((pool) => pools.has(pool)), ...news.keys()])
  const remembered = Math.min(REMEMBERED, Math.floor(MOST_REMEMBERED / names.size))
  const standing = new Set(wanted.map(markOf))
  const marksOf = (pool: string): readonly string[] => {
    const marks = [...(told.get(pool) ?? []), ...(news.get(pool) ?? []).map(markOf)]
    return marks.filter((each, index) => standing.has(each) || index >= marks.length - remembered)
  }
  return new Map([...names].map((pool) => [pool, marksOf(pool)]))
}
