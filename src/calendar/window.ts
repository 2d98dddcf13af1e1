import { DAY, type Instant, type Span } from './instant.ts'
import { scheduleOf } from './schedule.ts'
import { instantsOf, keepsItsClock, type WallTime } from './time-zone.ts'

/** A time in which something may begin, or in which nothing may. */
export type Window = {
  readonly action: 'allow' | 'deny'
  readonly timeZone: string
} & (Recurring | { readonly dates: readonly DateRange[] })

/** Opens whenever the schedule matches, for `duration` milliseconds: so many pass, whatever clocks are put to meanwhile. */
interface Recurring {
  readonly schedule: string
  readonly duration: number
}

/** Whole days in the window's time zone; both belong to it. Midnights, by the wall. */
export interface DateRange {
  readonly first: WallTime
  readonly last: WallTime
}

/** When the window is open, in order and without overlap: what ends after `from` and begins before `end`. */
export function* spansOf(window: Window, { from, end }: { readonly from: Instant; readonly end: Instant }): Generator<Span> {
  let current: Span | undefined
  for (const span of 'dates' in window ? dateSpans(window) : recurringSpans(window, { from, end })) {
    if (span.to <= from || span.from >= end) continue
    if (current && span.from <= current.to) current = { from: current.from, to: Math.max(current.to, span.to) }
    else {
      if (current) yield current
      current = span
    }
  }
  if (current) yield current
}

function dateSpans({ dates, timeZone }: Window & { readonly dates: readonly DateRange[] }): Span[] {
  return dates
    .map(({ first, last }) => ({ from: firstInstantOf(first, timeZone), to: firstInstantOf(last + DAY, timeZone) }))
    .sort((a, b) => a.from - b.from)
}

function firstInstantOf(time: WallTime, timeZone: string): Instant {
  return instantsOf(time, timeZone)[0] ?? time
}

function* recurringSpans(
  window: Window & Recurring,
  { from, end }: { readonly from: Instant; readonly end: Instant },
): Generator<Span> {
  const { duration } = window
  // Three days earlier than in UTC: walls show another day there, and a clock may be put forward or back over midnight.
  const first = Math.floor((from - duration) / DAY) * DAY - 3 * DAY
  for (let day = first; day < end + 2 * DAY; day += DAY)
    for (const opening of knownOpenings(day, window))
      if (opening + duration > from) yield { from: opening, to: opening + duration }
}

const DAYS_KEPT = 16
const openingsOf = new WeakMap<Window & Recurring, Map<WallTime, readonly Instant[]>>()

/** The same few days are asked for at each instant at which the window opens or closes; to match a day and its zone is dear. */
function knownOpenings(day: WallTime, window: Window & Recurring): readonly Instant[] {
  const known = openingsOf.get(window) ?? new Map<WallTime, readonly Instant[]>()
  openingsOf.set(window, known)
  const openings = known.get(day) ?? openingsOn(day, window)
  if (!known.has(day) && known.size === DAYS_KEPT) known.clear()
  known.set(day, openings)
  return openings
}

/**
 * Where the clock is put back, a time that comes twice opens the window once, at the first; but what opens in every hour does so in
 * the additional one, too.
 */
function openingsOn(day: WallTime, { schedule, timeZone }: Window & Recurring): readonly Instant[] {
  const { timesOn, everyHour } = scheduleOf(schedule)
  const times = timesOn(day)
  const [start] = times
  if (start === undefined) return []
  if (keepsItsClock(day, timeZone)) {
    const offset = start - firstInstantOf(start, timeZone)
    return times.map((time) => time - offset)
  }
  return times.flatMap((time) => instantsOf(time, timeZone).slice(0, everyHour ? 2 : 1)).sort((a, b) => a - b)
}
