import type { ProcessLook } from './process-record.ts'

/** What the Node has shown of the kubelet's heartbeats. Milliseconds since the epoch by the node's clock, unless told otherwise. */
export interface HeartbeatRecord {
  /** The one that the Node showed last. */
  readonly last: number | undefined
  /** The kubelet's last report, as far as the Node has shown it: not one that came back with a backup. */
  readonly newest: number | undefined
  /** When the Node was looked at last. Monotonic milliseconds. */
  readonly lookedAt: number
  /** Since when the Node shows one of a backup; undefined once the kubelet has reported again. Monotonic milliseconds. */
  readonly backSince: number | undefined
}

/** @param at monotonic milliseconds; the Node showed `newest` before */
export function heartbeatsFrom(newest: number | undefined, at: number): HeartbeatRecord {
  return { last: undefined, newest, lookedAt: at, backSince: undefined }
}

/** Three times as long as a kubelet waits by default before it reports what has not changed (nodeStatusReportFrequency). */
const LONGEST_SILENCE = 15 * 60_000

/** Pure. */
export function observeHeartbeat(
  before: HeartbeatRecord,
  heartbeat: number | undefined,
  look: Pick<ProcessLook, 'at' | 'now'>,
): HeartbeatRecord {
  if (heartbeat === undefined) return before
  const seen = { ...before, last: heartbeat, lookedAt: look.at }
  if (heartbeat === before.last) return seen
  const isNew = before.newest === undefined || heartbeat >= before.newest || isSinceLastLook(before, heartbeat, look)
  return isNew ? { ...seen, newest: heartbeat, backSince: undefined } : { ...seen, backSince: before.backSince ?? look.at }
}

const SECOND = 1000

/** No backup holds such a report. It may still be older than the one before: the clock was put back. Heartbeats have whole seconds. */
function isSinceLastLook(
  { lookedAt }: HeartbeatRecord,
  heartbeat: number,
  { at, now }: Pick<ProcessLook, 'at' | 'now'>,
): boolean {
  const lastLook = now - (at - lookedAt)
  return heartbeat >= Math.floor(lastLook / SECOND) * SECOND
}

/**
 * The Node says nothing of the kubelet that runs: etcd was restored from a backup, and the kubelet, which compares its status with what
 * it wrote last, has not written it again.
 */
export function isOfTheBackup({ backSince }: HeartbeatRecord, at: number): boolean {
  return backSince !== undefined && at - backSince < LONGEST_SILENCE
}
