import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../agent/ports.ts'

/**
 * Real time in which durations pass `factor` times as fast: what simulated machines wait for, people need not. The wall clock stays
 * true, so that stamps agree with those of everybody else.
 */
export function scaledClock(factor: number): Clock {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now() * factor,
    sleep: (milliseconds, signal) =>
      wait(Math.max(0, milliseconds / factor), undefined, signal === undefined ? {} : { signal }).catch(() => {}),
  }
}
