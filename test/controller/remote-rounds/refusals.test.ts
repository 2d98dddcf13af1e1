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
