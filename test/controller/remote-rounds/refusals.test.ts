import { expect, test } from 'vitest'
import { Refusals } from '../../../src/controller/remote-rounds/refusals.ts'

test.each([
  ['when what was refused may be asked for again', 0, undefined, 5_000],
  ['at another time before that', 4_000, 4_500, 4_500],
  ['when what was refused may be asked for again, before another time', 0, 9_000, 5_000],
  ['at no time when that has come', 5_000, undefined, undefined],
  ['at another time when that has come', 5_000, 9_000, 9_000],
])('after a refusal a round is due %s', (_, now, other, next) => {
  const refusals = new Refusals()
  refusals.add('a', 0)
  expect(refusals.nextAt(now, other)).toBe(next)
})

test('what was refused waits for its time, which is later each time, and the first refusal is told from others', () => {
  const refusals = new Refusals()
  expect(refusals.isWaiting('a', 0)).toBe(false)
  expect(refusals.add('a', 0)).toEqual({ rest: 5_000, isFirst: true })
  expect([4_999, 5_000].map((now) => refusals.isWaiting('a', now))).toEqual([true, false])
  expect(refusals.add('a', 5_000)).toEqual({ rest: 10_000, isFirst: false })
})

test('what was refused is asked for again at once after the clock was put back', () => {
  const [refusals, day] = [new Refusals(), 86_400_000]
  refusals.add('a', day)
  expect(refusals.isWaiting('a', 0)).toBe(false)
  expect(refusals.nextAt(0, undefined)).toBe(undefined)
  expect(refusals.add('a', 0)).toEqual({ rest: 10_000, isFirst: false })
  expect(refusals.nextAt(0, undefined)).toBe(10_000)
})
