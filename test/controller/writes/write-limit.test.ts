import { expect, test } from 'vitest'
import { WriteLimit } from '../../../src/controller/writes/write-limit.ts'

const HOUR = 3_600_000
const NOW = 10 * HOUR

/** A node that was written twenty times. */
function aFullLimit(): WriteLimit {
  const limit = new WriteLimit()
  for (let write = 1; write <= 20; write++) limit.wrote('n0', NOW)
  return limit
}

test('node is written twenty times within an hour, and again when the hour is over', () => {
  const limit = aFullLimit()
  expect([limit.mayWrite('n0'), limit.mayWrite('n1')]).toEqual([false, true])
  expect([limit.nextAt('n0'), limit.nextAt('n1')]).toEqual([NOW + HOUR, undefined])
  limit.forgetOld(NOW + HOUR - 1)
  expect(limit.mayWrite('n0')).toBe(false)
  limit.forgetOld(NOW + HOUR)
  expect(limit.mayWrite('n0')).toBe(true)
})

test('node that was written nineteen times is written once more', () => {
  const limit = new WriteLimit()
  for (let write = 1; write <= 19; write++) limit.wrote('n0', NOW)
  expect([limit.mayWrite('n0'), limit.nextAt('n0')]).toEqual([true, undefined])
})

test('node is written again when the clock was put back by an hour', () => {
  const limit = aFullLimit()
  limit.forgetOld(NOW - HOUR)
  expect(limit.mayWrite('n0')).toBe(true)
})
