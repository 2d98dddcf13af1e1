import { expect, test } from 'vitest'
import { boundedWait, retryAfterOf } from '../../src/protocol/retry-after.ts'

const NOW = Date.parse('2026-11-22T08:00:00Z')

test.for([
  ['120', 120_000],
  ['0', 0],
  [' 7 ', 7_000],
  ['Sun, 22 Nov 2026 08:01:30 GMT', 90_000],
  ['Sunday, 22-Nov-26 08:01:30 GMT', 90_000],
  ['Sun Nov 22 08:01:30 2026', 90_000],
  ['Sun, 22 Nov 2026 07:00:00 GMT', 0],
  ['Sun, 22 Nov 2099 07:00:00 GMT', 3_600_000],
  ['999999999999', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  ['-1', undefined],
  ['1e3', undefined],
  ['2026', 2_026_000],
  ['soon', undefined],
  ['Sunday', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
] as const)('Retry-After of %s is a wait of %s ms', ([header, wait]) => {
  expect(retryAfterOf(header, NOW)).toBe(wait)
})

test('Retry-After is never shorter than the shortest wait', () => {
  expect(retryAfterOf('0', NOW, 1_000)).toBe(1_000)
  expect(retryAfterOf('Sun, 22 Nov 2026 07:00:00 GMT', NOW, 1_000)).toBe(1_000)
})

test('bounded wait is undefined when it is no number', () => {
  expect([boundedWait(Number.NaN), boundedWait(-1), boundedWait(1e12)]).toEqual([undefined, 0, 3_600_000])
})
