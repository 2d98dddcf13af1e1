import { DAY, type Instant } from './instant.ts'

/** What a clock on the wall of a time zone shows, written as the instant at which a clock in UTC shows the same. */
export type WallTime = number

/** Whether the platform knows the zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    formatterOf(name)
    return true
  } catch {
    return false
  }
}

export function wallTimeAt(instant: Instant, zone: string): WallTime {
  return instant + offsetAt(instant, zone)
}

/**
 * When the wall shows `wall`: twice where the clock is put back over it, the earlier first. A time that the clock skips counts as
 * if it had not been put forward yet, as RFC 5545 has it for calendars: 02:30 in a night without it is 03:30.
 */
export function instantsOf(wall: WallTime, zone: string): readonly Instant[] {
  const [before, after] = [offsetAt(wall - DAY, zone), offsetAt(wall + DAY, zone)]
  if (before === after) return [wall - before]
  const shown = [wall - before, wall - after].filter((instant) => wallTimeAt(instant, zone) === wall)
  return shown.length === 0 ? [wall - before] : shown.toSorted((a, b) => a - b)
}

/** Whether the offset is the same all day long, and a day before and after. */
export function keepsItsClock(day: WallTime, zone: string): boolean {
  return offsetAt(day - DAY, zone) === offsetAt(day + 2 * DAY, zone)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Costly to make, and a fleet has few zones. */
function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known) return known
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  formatters.set(zone, formatter)
  return formatter
}

/** Milliseconds that the zone is ahead of UTC. */
function offsetAt(instant: Instant, zone: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(formatterOf(zone).format(instant)) ?? []
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
