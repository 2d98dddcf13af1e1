import type { Window } from '../calendar/window.ts'
import type { WindowSpec } from './schema/rollout.ts'
import { parseDateRange } from './schema/values.ts'

/** A window as it is written, for the calendar. One without schedule, duration and dates, which the checks refuse, has no day. */
export function windowOf({ schedule, duration, dates = [], timeZone = 'UTC', action = 'allow' }: WindowSpec): Window {
  return schedule !== undefined && duration !== undefined
    ? { action, timeZone, schedule, duration }
    : { action, timeZone, dates: dates.map(parseDateRange) }
}
