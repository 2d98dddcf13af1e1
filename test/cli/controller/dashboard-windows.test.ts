import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import { dashboardWindows } from '../../../src/cli/controller/dashboard-windows.ts'

const NOW = Date.parse('2026-11-24T12:34:00Z')
const nightly = (): readonly Window[] => [{ action: 'allow', schedule: '0 22 * * *', duration: 2 * 3_600_000, timeZone: 'UTC' }]

test('a pool without windows has no text and no spans', () => {
  expect(dashboardWindows([], NOW)).toEqual({})
})

test('windows are shown from yesterday to the next week', () => {
  const { window, windows } = dashboardWindows(nightly(), NOW)

  expect(window).toBe('opens Tue 2026-11-24 22:00 UTC')
  expect(windows?.length).toBe(8)
  expect(windows?.[0]).toEqual({ from: '2026-11-23T22:00:00.000Z', to: '2026-11-24T00:00:00.000Z' })
  expect(windows?.at(-1)).toEqual({ from: '2026-11-30T22:00:00.000Z', to: '2026-12-01T00:00:00.000Z' })
})

test('windows are the same object within an hour, and move on in the next', () => {
  const own = nightly()
  const { windows } = dashboardWindows(own, NOW)

  expect(dashboardWindows(own, NOW + 20 * 60_000).windows).toBe(windows)
  expect(dashboardWindows(own, NOW + 11 * 3_600_000 + 40 * 60_000).windows?.length).toBe(8)
  expect(dashboardWindows(own, NOW + 12 * 3_600_000).windows?.[0]?.from).toBe('2026-11-24T22:00:00.000Z')
})

test('a window that opens every minute is cut off, and one that never opens has no span', () => {
  const often: readonly Window[] = [{ action: 'allow', schedule: '*/2 * * * *', duration: 60_000, timeZone: 'UTC' }]
  const never: readonly Window[] = [{ action: 'deny', dates: [{ first: 0, last: NOW + 900 * 86_400_000 }], timeZone: 'UTC' }]

  expect(dashboardWindows(often, NOW).windows).toHaveLength(50)
  expect(dashboardWindows(never, NOW)).toEqual({ window: 'never opens', windows: [] })
})
