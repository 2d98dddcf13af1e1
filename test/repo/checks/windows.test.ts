import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

/** All problems of a pool with these windows, one a line each. */
function problems(windows: string): string[] {
  const spec = `spec:\n  nodeSelector: {matchLabels: {pool: workers}}\n  rollout:\n    windows: ${windows}\n`
  return problemsOf({ 'pools/workers.yaml': aDocument('NodePool', 'workers', spec) }).map((text) => {
    const [place = '', , ...told] = text.split('\n')
    return `${place.split('  ')[0]} ${told.map((line) => line.trim()).join('; ')}`
  })
}

test('windows by schedule and by dates are fine', () => {
  expect(
    problems(
      '[{schedule: "0 22 * * mon-thu", duration: 6h, timeZone: Europe/Berlin}, {dates: ["2026-12-24/2027-01-02", "2027-05-01"], action: deny}]',
    ),
  ).toEqual([])
  expect(problems('[{schedule: "0 0 29 2 *", duration: 24h}]')).toEqual([])
})

test.each([
  ['[{schedule: "0 22 * *", duration: 6h}]', '7:26 expected a cron schedule of five fields, such as "0 22 * * mon-thu"'],
  [
    '[{schedule: "0 25 * * *", duration: 6h}]',
    '7:26 expected a cron schedule of five fields; the hour "25" is not valid; use 0 to 23',
  ],
  [
    '[{schedule: "0 22 * * mon-thr", duration: 6h}]',
    '7:26 expected a cron schedule of five fields; the weekday "mon-thr" is not valid; use 0 to 7, or sun to sat',
  ],
  ['[{schedule: "0 22 * * *"}]', '7:15 expected "duration", too'],
  ['[{duration: 6h}]', '7:15 expected "schedule", too'],
  ['[{action: deny}]', '7:15 expected either "schedule" and "duration", or "dates"'],
  ['[{dates: ["2026-12-24"], duration: 6h}]', '7:15 expected either "schedule" and "duration", or "dates"'],
  ['[{dates: ["2026-02-30"]}]', '7:24 expected a date such as "2026-12-24", or two such as "2026-12-24/2027-01-02"'],
  [
    '[{dates: ["2027-01-02/2026-12-24"]}]',
    '7:24 expected the first day before the last: 2026-12-24 is before 2027-01-02; write "2026-12-24/2027-01-02"',
  ],
  ['[{schedule: "0 22 * * *", duration: 0s}]', '7:50 expected more than 0 and at most 744h'],
  ['[{schedule: "0 22 * * *", duration: 745h}]', '7:50 expected more than 0 and at most 744h'],
  ['[{schedule: "0 22 * * *", duration: 1h, timeZone: Mars}]', '7:64 expected a time zone such as "Europe/Berlin"'],
  [
    '[{schedule: "0 22 * * *", duration: 1h, timeZone: berlin}]',
    '7:64 expected a time zone such as "Europe/Berlin"; did you mean "Europe/Berlin"?',
  ],
  [
    '[{schedule: "0 22 * * *", duration: 1h, timeZone: America/NewYork}]',
    '7:64 expected a time zone such as "Europe/Berlin"; did you mean "America/New_York"?',
  ],
  [
    '[{schedule: "0 22 * * *", duration: 24h}]',
    '7:50 the window never closes: it opens again before the duration is over; use a shorter duration; to stop a pool, pause it',
  ],
  [
    '[{schedule: "0 8 * * *", duration: 1h}, {schedule: "0 7 * * *", duration: 3h, action: deny}]',
    '7:5 no rollout can ever start: another window denies every time that a window allows',
  ],
])('windows %s are refused', (windows, problem) => {
  expect(problems(windows)).toEqual([`pools/workers.yaml:${problem}`])
})

test('a schedule of days that no month has is refused', () => {
  expect(problems('[{schedule: "0 0 31 4 *", duration: 1h}]')).toEqual([
    'pools/workers.yaml:7:26 expected a cron schedule of five fields; the day of month "31" does not occur in these months',
  ])
})

test('a freeze of single dates, or an exception of single dates, is nothing that never opens', () => {
  expect(problems('[{dates: ["2026-12-24"]}, {schedule: "0 7 * * *", duration: 3h, action: deny}]')).toEqual([])
})
