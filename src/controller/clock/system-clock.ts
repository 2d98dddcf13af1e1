import { pause, systemTimers } from '../../kube/timers.ts'
import type { Clock } from './clock.ts'

/** A timer cannot be set further ahead; a pass too many does no harm. */
const LONGEST = 24 * 60 * 60_000

export const systemClock: Clock = {
  now: Date.now,
  elapsed: systemTimers.elapsed,
  cpuUsed: () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
  sleepUntil: (at, signal) => pause(systemTimers, Math.min(Math.max(0, at - Date.now()), LONGEST), signal),
}
