import { createTask, parse, validateDetailed } from 'node-cron'
import { MINUTE } from './instant.ts'
import type { WallTime } from './time-zone.ts'

/** A cron schedule of five fields, on no clock in particular. */
export interface Schedule {
  /**
   * @param day midnight, by the wall
   * @returns the times of that day that match, in order
   */
  timesOn(day: WallTime): readonly WallTime[]
  /** It matches in every hour of the days that it matches. */
  readonly everyHour: boolean
}

const FIELDS = new Map([
  ['minute', { name: 'minute', values: '0 to 59' }],
  ['hour', { name: 'hour', values: '0 to 23' }],
  ['dayOfMonth', { name: 'day of month', values: '1 to 31' }],
  ['month', { name: 'month', values: '1 to 12, or jan to dec' }],
  ['dayOfWeek', { name: 'weekday', values: '0 to 7, or sun to sat' }],
])

/** What is wrong with a schedule; empty: nothing. */
export function scheduleProblems(expression: string): readonly string[] {
  return validateDetailed(expression).errors.map(({ field, value = '', message }) => {
    const { name = field, values = '' } = FIELDS.get(field) ?? {}
    if (message.includes('impossible')) return `the ${name} "${value}" does not occur in these months`
    return `the ${name} "${value}" is not valid; use ${values}`
  })
}

const schedules = new Map<string, Schedule>()

/** @throws {Error} for one that has problems */
export function scheduleOf(expression: string): Schedule {
  const known = schedules.get(expression)
  if (known) return known
  const schedule = readSchedule(expression)
  schedules.set(expression, schedule)
  return schedule
}

/**
 * What day it is and what time of the day are separate fields, so that one question settles a whole day: a search through a year
 * that asks for every minute would take seconds.
 */
function readSchedule(expression: string): Schedule {
  const { hour, minute } = parse(expression)
  const times = hour.flatMap((h) => minute.map((m) => (h * 60 + m) * MINUTE)).sort((a, b) => a - b)
  const [first = 0] = times
  const match = matcherOf(expression)
  return {
    timesOn: (day) => (match(day + first) ? times.map((time) => day + time) : []),
    everyHour: new Set(hour).size === 24,
  }
}

/** Its clock shows UTC, which never leaps: what a zone makes of it is for the caller. */
function matcherOf(expression: string): (wall: WallTime) => boolean {
  const task = createTask(expression, () => undefined, { timezone: 'UTC' })
  // The package keeps a list of all tasks; ours is never started.
  task.destroy()
  return (wall) => task.match(new Date(wall))
}
