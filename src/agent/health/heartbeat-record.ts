/** What the Node has shown of the kubelet's heartbeats. Milliseconds since the epoch by the node's clock, but for `backSince`. */
export interface HeartbeatRecord {
  /** The one that the Node showed last. */
  readonly last: number | undefined
  /** Since when the Node shows an older one than before; undefined once the kubelet has reported again. Monotonic milliseconds. */
  readonly backSince: number | undefined
}

export function heartbeatsFrom(last: number | undefined): HeartbeatRecord {
  return { last, backSince: undefined }
}

/** Three times as long as a kubelet waits by default before it reports what has not changed (nodeStatusReportFrequency). */
const LONGEST_SILENCE = 15 * 60_000

/** Pure. */
export function observeHeartbeat(before: HeartbeatRecord, heartbeat: number | undefined, at: number): HeartbeatRecord {
  if (heartbeat === undefined || heartbeat === before.last) return before
  const isOlder = before.last !== undefined && heartbeat < before.last
  return { last: heartbeat, backSince: isOlder ? at : undefined }
}

/**
 * The Node says nothing of the kubelet that runs: etcd was restored from a backup, and the kubelet, which compares its status with what
 * it wrote last, has not written it again.
 */
export function isOfTheBackup({ backSince }: HeartbeatRecord, at: number): boolean {
  return backSince !== undefined && at - backSince < LONGEST_SILENCE
}
