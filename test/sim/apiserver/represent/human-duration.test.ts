import { expect, test } from 'vitest'
import { humanAge, humanDuration } from '../../../../src/sim/apiserver/represent/human-duration.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR

test.each([
  [-5 * SECOND, '<invalid>'],
  [0, '0s'],
  [119 * SECOND, '119s'],
  [120 * SECOND, '2m'],
  [200 * SECOND, '3m20s'],
  [10 * 60 * SECOND, '10m'],
  [179 * 60 * SECOND, '179m'],
  [3 * HOUR, '3h'],
  [3.5 * HOUR, '3h30m'],
  [47 * HOUR, '47h'],
  [2 * DAY + 3 * HOUR, '2d3h'],
  [8 * DAY, '8d'],
  [729 * DAY, '729d'],
  [2 * 365 * DAY, '2y'],
  [3 * 365 * DAY + 5 * DAY, '3y5d'],
])('%d ms are shown as %s', (milliseconds, expected) => {
  expect(humanDuration(milliseconds)).toBe(expected)
})

test('an age without a stamp is unknown', () => {
  expect([humanAge(undefined, 0), humanAge('2030-01-01T00:00:00Z', Date.parse('2030-01-01T00:01:00Z'))]).toEqual([
    '<unknown>',
    '60s',
  ])
})
