import { expect, test } from 'vitest'
import { deadlineOf, latestOf } from '../../../src/rollout/model/deadlines.ts'

const assigned = { digest: 'd', revision: 'r', pool: 'p', grant: 'restart', at: 0 } as const
const clock = { now: 50_000, rolloutStart: 0, applyTimeout: 600_000 }

test.each([
  ['of the past counts for what it says', 40_000, 40_000],
  ['before the assignment counts for the assignment', -40_000, 0],
  ['two seconds ahead counts for what it says', 52_000, 52_000],
  ['an hour ahead counts for the deadline', 3_650_000, 600_000],
  ['that is no date counts for the deadline', Number.NaN, 600_000],
])('a stamp of a node %s', (_, stamp, expected) => {
  expect(latestOf([stamp], { assigned, clock })).toBe(expected)
})

test('a stamp a minute ahead counts for what it says, also when the work ended after its deadline', () => {
  const late = { ...clock, now: 700_000 }
  expect(latestOf([760_000], { assigned, clock: late })).toBe(760_000)
})

test('a deadline counts from the end of an outage', () => {
  expect(deadlineOf(assigned, { ...clock, steadySince: 45_000 })).toBe(645_000)
})
