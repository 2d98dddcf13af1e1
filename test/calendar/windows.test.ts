import fc from 'fast-check'
import { createTask } from 'node-cron'
import { expect, test } from 'vitest'
import type { Window } from '../../src/calendar/window.ts'
import { openSpans, windowState } from '../../src/calendar/windows.ts'

const hour = 3_600_000
const minute = 60_000
const day = 24 * hour

function allow(schedule: string, duration: number, timeZone = 'UTC'): Window {
  return { action: 'allow', schedule, duration, timeZone }
}

function deny(schedule: string, duration: number, timeZone = 'UTC'): Window {
  return { ...allow(schedule, duration, timeZone), action: 'deny' }
}

function denyDays(first: string, last: string, timeZone = 'UTC'): Window {
  return { action: 'deny', timeZone, dates: [{ first: Date.parse(first), last: Date.parse(last) }] }
}

/** The first few times that are open from `from` on. */
function openings(windows: readonly Window[], from: string, count = 3): string[] {
  const spans = openSpans(windows, Date.parse(from))
  return Array.from({ length: count }, () => spans.next().value ?? { from: 0, to: 0 }).map(
    (span) => `${stamp(span.from)} ${stamp(span.to)}`,
  )
}

function stamp(instant: number): string {
  return new Date(instant).toISOString().slice(0, 16)
}

test('windows are open from each match of the schedule for the duration', () => {
  expect(openings([allow('0 22 * * mon-thu', 6 * hour)], '2026-11-20T12:00Z')).toEqual([
    '2026-11-23T22:00 2026-11-24T04:00',
    '2026-11-24T22:00 2026-11-25T04:00',
    '2026-11-25T22:00 2026-11-26T04:00',
  ])
})

test('windows that opened before are open still', () => {
  expect(openings([allow('0 22 * * *', 30 * hour - 6 * hour - minute)], '2026-11-20T12:00Z', 1)).toEqual([
    '2026-11-20T12:00 2026-11-20T21:59',
  ])
})

test('no windows are open always, and deny windows alone leave the rest', () => {
  expect(windowState([], Date.parse('2026-11-20T12:00Z'))).toEqual({ open: true })
  expect(openings([deny('0 9 * * *', 8 * hour)], '2026-11-20T12:00Z', 2)).toEqual([
    '2026-11-20T17:00 2026-11-21T09:00',
    '2026-11-21T17:00 2026-11-22T09:00',
  ])
})

test('a deny window wins over an allow window', () => {
  expect(openings([allow('0 8 * * *', 12 * hour), deny('0 10 * * *', hour)], '2026-11-20T00:00Z', 2)).toEqual([
    '2026-11-20T08:00 2026-11-20T10:00',
    '2026-11-20T11:00 2026-11-20T20:00',
  ])
})

test('allow windows that touch are one', () => {
  expect(openings([allow('0 8 * * *', 2 * hour), allow('0 10 * * *', hour)], '2026-11-20T00:00Z', 1)).toEqual([
    '2026-11-20T08:00 2026-11-20T11:00',
  ])
})

test('dates deny whole days in their time zone, the last included', () => {
  const windows = [allow('0 22 * * *', 6 * hour, 'Europe/Berlin'), denyDays('2026-12-24', '2027-01-02', 'Europe/Berlin')]
  expect(openings(windows, '2026-12-23T12:00Z', 2)).toEqual([
    '2026-12-23T21:00 2026-12-23T23:00',
    '2027-01-02T23:00 2027-01-03T03:00',
  ])
})

test.each([
  // Clocks are put forward over the opening: it counts as if they had not been yet, and so is 24 hours after the last.
  [
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28',
    ['2026-03-28T01:30 2026-03-28T02:30', '2026-03-29T01:30 2026-03-29T02:30', '2026-03-30T00:30 2026-03-30T01:30'],
  ],
  [
    '30 2 * * *',
    'America/New_York',
    '2026-03-07',
    ['2026-03-07T07:30 2026-03-07T08:30', '2026-03-08T07:30 2026-03-08T08:30', '2026-03-09T06:30 2026-03-09T07:30'],
  ],
  // By half an hour: 02:15 is not, on 2026-10-04.
  [
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-02T12:00Z',
    ['2026-10-02T15:45 2026-10-02T16:45', '2026-10-03T15:45 2026-10-03T16:45', '2026-10-04T15:15 2026-10-04T16:15'],
  ],
  // Clocks are put back over the opening: it comes twice, and the first counts.
  [
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24',
    ['2026-10-24T00:30 2026-10-24T01:30', '2026-10-25T00:30 2026-10-25T01:30', '2026-10-26T01:30 2026-10-26T02:30'],
  ],
  [
    '30 1 * * *',
    'America/New_York',
    '2026-10-31',
    ['2026-10-31T05:30 2026-10-31T06:30', '2026-11-01T05:30 2026-11-01T06:30', '2026-11-02T06:30 2026-11-02T07:30'],
  ],
  [
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-03T12:00Z',
    ['2026-04-03T14:45 2026-04-03T15:45', '2026-04-04T14:45 2026-04-04T15:45', '2026-04-05T15:15 2026-04-05T16:15'],
  ],
])('an hour from "%s" in %s is an hour from the first such time, when clocks change', (schedule, zone, from, expected) => {
  expect(openings([allow(schedule, hour, zone)], from)).toEqual(expected)
})

test('a duration is time that passes, whatever the clocks show', () => {
  expect(openings([allow('0 0 * * sun', 6 * hour, 'Europe/Berlin')], '2026-03-28T12:00Z', 1)).toEqual([
    '2026-03-28T23:00 2026-03-29T05:00',
  ])
  expect(openings([allow('0 0 * * sun', 6 * hour, 'Europe/Berlin')], '2026-10-24T12:00Z', 1)).toEqual([
    '2026-10-24T22:00 2026-10-25T04:00',
  ])
})

test('what opens in every hour does so in the hour that comes twice, and no more often in the night that lacks one', () => {
  expect(openings([allow('30 * * * *', 10 * minute, 'Europe/Berlin')], '2026-10-24T23:45Z')).toEqual([
    '2026-10-25T00:30 2026-10-25T00:40',
    '2026-10-25T01:30 2026-10-25T01:40',
    '2026-10-25T02:30 2026-10-25T02:40',
  ])
  expect(openings([allow('30 * * * *', 10 * minute, 'Europe/Berlin')], '2026-03-28T23:45Z')).toEqual([
    '2026-03-29T00:30 2026-03-29T00:40',
    '2026-03-29T01:30 2026-03-29T01:40',
    '2026-03-29T02:30 2026-03-29T02:40',
  ])
})

test('a day that begins with a skipped hour begins after it', () => {
  // Beirut puts its clocks forward at midnight of 2027-03-28.
  expect(
    openings([denyDays('2027-03-28', '2027-03-28', 'Asia/Beirut')], '2027-03-27T12:00Z', 2).map((span) => span.slice(0, 16)),
  ).toEqual(['2027-03-27T12:00', '2027-03-28T21:00'])
})

test('windows that leave nothing open say so, within a bounded search', () => {
  const windows = [allow('0 8 * * *', hour), deny('0 7 * * *', 3 * hour)]
  expect(windowState(windows, Date.parse('2026-11-20T00:00Z'))).toEqual({ open: false })
})

test('the state holds until the instant that it names, and is another one from there on', () => {
  const windows = [allow('0 8 * * *', hour)]
  const opens = Date.parse('2026-11-20T08:00Z')
  expect(windowState(windows, opens - 1)).toEqual({ open: false, until: opens })
  expect(windowState(windows, opens)).toEqual({ open: true, until: opens + hour })
  expect(windowState(windows, opens + hour)).toEqual({ open: false, until: opens + day })
  // Clocks are put back, too.
  expect(windowState(windows, opens - 1)).toEqual({ open: false, until: opens })
})

const aSchedule = fc
  .tuple(
    fc.constantFrom('0', '30', '*/20', '5-10'),
    fc.constantFrom('*', '22', '*/6', '22-2'),
    fc.constantFrom('*', '1-7', 'L'),
    fc.constantFrom('*', 'mon-fri', 'sun', 'mon#1'),
  )
  .map(([minutes, hours, days, weekdays]) => `${minutes} ${hours} ${days} * ${weekdays}`)
const aWindow = fc.record({
  action: fc.constantFrom('allow', 'deny'),
  schedule: aSchedule,
  duration: fc.integer({ min: 1, max: 20 }).map((n) => n * 13 * minute),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'),
})

/** Asked minute by minute, in the zone itself. */
function isOpenByAsking(
  { schedule, duration, timeZone }: { readonly schedule: string; readonly duration: number; readonly timeZone: string },
  at: number,
) {
  const task = createTask(schedule, () => undefined, { timezone: timeZone })
  task.destroy()
  for (let opening = at; opening > at - duration; opening -= minute) if (task.match(new Date(opening))) return true
  return false
}

test('windows are as one who asks the schedule for every minute finds them, while no clock changes', () => {
  const summer = fc.integer({ min: 0, max: 80 * 24 * 60 }).map((n) => Date.parse('2026-06-01T00:00Z') + n * minute)
  fc.assert(
    fc.property(fc.array(aWindow, { minLength: 1, maxLength: 3 }), summer, (windows, at) => {
      const open = (action: string) => windows.filter((w) => w.action === action).some((w) => isOpenByAsking(w, at))
      const allowed = windows.every(({ action }) => action === 'deny') || open('allow')
      expect(windowState(windows, at).open).toBe(allowed && !open('deny'))
    }),
    { numRuns: 150 },
  )
})

test('the state never changes before it says, on any day of a year', () => {
  const any = fc.integer({ min: 0, max: 365 * 24 * 60 }).map((n) => Date.parse('2026-01-01T00:00Z') + n * minute)
  fc.assert(
    fc.property(
      fc.array(aWindow, { minLength: 1, maxLength: 3 }),
      any,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (windows, at, part) => {
        const { open, until } = windowState(windows, at)
        if (until === undefined) return
        expect(until).toBeGreaterThan(at)
        expect(windowState([...windows], at + Math.floor((until - at) * part)).open).toBe(open)
        expect(windowState([...windows], until).open).toBe(!open)
      },
    ),
    { numRuns: 200 },
  )
})

test('dates of a window count in whatever order they are listed', () => {
  const dates = ['2026-12-24', '2026-12-01', '2026-12-10'].map((date) => ({ first: Date.parse(date), last: Date.parse(date) }))
  const windows: Window[] = [{ action: 'allow', timeZone: 'UTC', dates }]

  expect(openings(windows, '2026-11-20T12:00Z')).toEqual([
    '2026-12-01T00:00 2026-12-02T00:00',
    '2026-12-10T00:00 2026-12-11T00:00',
    '2026-12-24T00:00 2026-12-25T00:00',
  ])
})
