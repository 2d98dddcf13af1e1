import type { Timers } from './timers.ts'

/** Wakes a loop before its time. Rung while nobody waits, it wakes the next wait at once: no change is missed. */
export interface WakeSignal {
  ring(): void
  /** Until rung, the time is over, or the signal aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export function createWakeSignal(timers: Timers): WakeSignal {
  let rung = Promise.withResolvers<void>()
  return {
    ring: () => rung.resolve(),
    async wait(milliseconds, signal) {
      if (signal.aborted) return
      const ring = () => rung.resolve()
      const cancel = timers.after(milliseconds, ring)
      signal.addEventListener('abort', ring)
      await rung.promise
      cancel()
      signal.removeEventListener('abort', ring)
      rung = Promise.withResolvers<void>()
    },
  }
}
