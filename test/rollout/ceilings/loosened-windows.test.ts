import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import { loosenedWindows } from '../../../src/rollout/ceilings/loosened-windows.ts'

const night = { action: 'allow', schedule: '0 22 * * *', duration: 3_600_000, timeZone: 'UTC' } as const
const morning = { ...night, schedule: '0 6 * * *' }
const inBerlin = { ...night, timeZone: 'Europe/Berlin' }
const longer = { ...night, duration: 3_600_001 }
const denied = <W extends object>(window: W) => ({ ...window, action: 'deny' as const })
const dates = { action: 'allow', dates: ['2026-12-24'], timeZone: 'UTC' } as unknown as Window
const moreDates = { ...dates, dates: ['2026-12-24', '2026-12-25'] } as unknown as Window

test.each<readonly [what: string, before: readonly Window[], after: readonly Window[]]>([
  ['no window stays away', [], []],
  ['the same window stays', [night], [night]],
  ['a window becomes shorter', [longer], [night]],
  ['one of two windows goes', [night, morning], [night]],
  ['a window comes where anything was allowed', [], [night]],
  ['a freeze comes', [], [denied(night)]],
  ['a freeze becomes longer', [denied(night)], [denied(longer)]],
  ['the same dates stay', [dates], [dates]],
  ['the same frozen dates stay', [denied(dates)], [denied(dates)]],
])('loosenedWindows finds nothing when %s', (_, before, after) => {
  expect(loosenedWindows(before, after)).toEqual([])
})

const HOUR = 'allow "0 22 * * *" for 3600s'

test.each<readonly [what: string, before: readonly Window[], after: readonly Window[], found: readonly string[]]>([
  ['the last window that allows goes', [night], [], ['allow → removed']],
  ['a second window comes', [morning], [morning, night], [`closed → ${HOUR}`]],
  ['a window comes in place of another one', [morning], [night], [`closed → ${HOUR}`]],
  ['a window becomes longer', [night], [longer], ['closed → allow "0 22 * * *" for 3600.001s']],
  ['a window moves to another time zone', [inBerlin], [night], [`closed → ${HOUR}`]],
  ['a freeze goes', [denied(night)], [], ['deny "0 22 * * *" for 3600s → removed']],
  ['a freeze becomes shorter', [denied(longer)], [denied(night)], ['deny "0 22 * * *" for 3600.001s → removed']],
  ['a freeze moves to another time zone', [denied(inBerlin)], [denied(night)], ['deny "0 22 * * *" for 3600s → removed']],
  ['a freeze moves to another hour', [denied(morning)], [denied(night)], ['deny "0 6 * * *" for 3600s → removed']],
  ['dates come beside others', [dates], [moreDates], ['closed → allow on 2 dates']],
  ['dates come in place of a window', [night], [dates], ['closed → allow on 1 dates']],
  ['a window comes in place of dates', [dates], [night], [`closed → ${HOUR}`]],
  ['frozen dates give way to a freeze by schedule', [denied(dates)], [denied(night)], ['deny on 1 dates → removed']],
])('loosenedWindows tells that %s', (_, before, after, found) => {
  expect(loosenedWindows(before, after).map(({ from, to }) => `${from} → ${to}`)).toEqual(found)
})
