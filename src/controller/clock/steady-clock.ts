import type { Timers } from '../../kube/timers.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { Clock } from './clock.ts'

/** Milliseconds. */
const LOOK_EVERY = 5_000
/** A gap this long between two looks is no delay any more, and a step back no correction. */
const GAP = 20_000

/**
 * A clock that knows since when it can be relied on. It is looked at every few seconds by a monotonic timer; when it has moved by much
 * more meanwhile, it was put forward, the machine was suspended, or the process was stopped. In each case what the caches show may be
 * older than the clock says, and a deadline that seems to be over proves nothing. Nor does one after the clock was put back: what it stamped
 * before lies ahead, and when that was can no longer be told.
 * @param options.signal ends the looking
 */
export function steadyClock(clock: Clock, { timers, signal }: { readonly timers: Timers; readonly signal: AbortSignal }): Clock {
  let seen = clock.now()
  let steadySince: Instant | undefined
  const look = (): void => {
    const now = clock.now()
    // Put forward or back; or a little back again: what it was put forward to would keep time from counting until then.
    if (Math.abs(now - seen) > GAP || (steadySince !== undefined && now < steadySince)) steadySince = now
    seen = now
  }
  const lookAgain = (): void => {
    look()
    cancel = timers.after(LOOK_EVERY, lookAgain)
  }
  let cancel = timers.after(LOOK_EVERY, lookAgain)
  signal.addEventListener('abort', () => cancel())
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    ...(clock.cpuUsed && { cpuUsed: clock.cpuUsed }),
    sleepUntil: (at, ending) => clock.sleepUntil(at, ending),
    steadySince() {
      look()
      return steadySince
    },
  }
}
