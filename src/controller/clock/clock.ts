import type { Instant } from '../../rollout/model/instant.ts'

export interface Clock {
  now(): Instant
  /** Monotonic milliseconds: what durations are measured with. */
  elapsed(): number
  /** Resolves at `at`, or as soon as `signal` aborts; never rejects. */
  sleepUntil(at: Instant, signal: AbortSignal): Promise<void>
  /** Milliseconds of CPU that this thread has used. Absent where time is virtual: there nothing costs any. */
  cpuUsed?(): number
  /** Since when it is known to have run evenly: later than the last time it was put forward, or the process stood still. Absent: always. */
  steadySince?(): Instant | undefined
}
