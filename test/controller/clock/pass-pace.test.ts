import { expect, test } from 'vitest'
import { PassPace } from '../../../src/controller/clock/pass-pace.ts'

/** Passes of equal length, one as soon as it may be after the other; the times at which they end. */
function passes(count: number, took: number): number[] {
  const pace = new PassPace()
  const ends: number[] = []
  let now = 0
  for (let pass = 0; pass < count; pass += 1) {
    now += took
    ends.push(now)
    now = Math.max(now, pace.after(took, now))
  }
  return ends
}

test('the first passes after some quiet begin without a rest', () => {
  expect(passes(4, 20)).toEqual([20, 40, 60, 80])
})

test('passes take a twentieth of the time once they go on and on', () => {
  const ends = passes(200, 10)
  expect(((199 - 100) * 10) / ((ends[199] ?? 0) - (ends[100] ?? 0))).toBeCloseTo(0.05)
})

test('a pass rests a quarter of a second at most, however long it took', () => {
  const ends = passes(60, 500)
  expect((ends[59] ?? 0) - (ends[58] ?? 0)).toBe(750)
})

test('quiet pays for the next passes, but for no more than the first ones', () => {
  const pace = new PassPace()
  for (let pass = 0; pass < 20; pass += 1) pace.after(25, 100)
  expect(pace.after(0, 3_600_000)).toBe(3_599_000)
  expect([1, 2, 3, 4, 5].map(() => pace.after(12.5, 3_600_000) - 3_600_000)).toEqual([-750, -500, -250, 0, 250])
})
