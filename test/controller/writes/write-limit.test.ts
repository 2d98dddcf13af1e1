import { expect, test } from 'vitest'
import { WriteLimit } from '../../../src/controller/writes/write-limit.ts'

const HOUR = 3_600_000
const NOW = 10 * HOUR

/** A node that was written at twenty versions. */
function aFullLimit(): WriteLimit {
  const limit = new WriteLimit()
  for (let version = 1; version <= 20; version++) limit.mayWrite({ name: 'n0', resourceVersion: `${version}` }, NOW)
  return limit
}

const next = { name: 'n0', resourceVersion: '21' }

test('node is written at twenty versions within an hour, and again when the hour is over', () => {
  const limit = aFullLimit()
  expect([limit.mayWrite(next, NOW), limit.mayWrite({ ...next, name: 'n1' }, NOW)]).toEqual([false, true])
  expect([limit.nextAt('n0'), limit.nextAt('n1')]).toEqual([NOW + HOUR, undefined])
  limit.forgetOld(NOW + HOUR - 1)
  expect(limit.mayWrite(next, NOW + HOUR - 1)).toBe(false)
  limit.forgetOld(NOW + HOUR)
  expect(limit.mayWrite(next, NOW + HOUR)).toBe(true)
})

test('node that is asked about again at the same version counts once', () => {
  expect(aFullLimit().mayWrite({ name: 'n0', resourceVersion: '20' }, NOW)).toBe(true)
})

test('node is written again when the clock was put back by an hour', () => {
  const limit = aFullLimit()
  limit.forgetOld(NOW - HOUR)
  expect(limit.mayWrite(next, NOW - HOUR)).toBe(true)
})
