import type { Window } from '../../../../src/calendar/window.ts'
import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

const MINUTE = 60_000

/** Opens every so many minutes, on the hour. */
function every(minutes: number, duration: number, action: Window['action'] = 'allow'): Window {
  return { action, schedule: `*/${minutes} * * * *`, duration: duration * MINUTE, timeZone: 'UTC' }
}

const WINDOWS = [[], [], [every(30, 20)], [every(30, 5, 'deny')], [every(20, 15), every(30, 3, 'deny')]]

export function windows(random: Random): Partial<RolloutPolicy> {
  return { windows: random.pick(WINDOWS), rollbackOutsideWindows: random.chance(0.7) }
}
