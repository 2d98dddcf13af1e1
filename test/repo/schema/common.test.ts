import fc from 'fast-check'
import { expect, test } from 'vitest'
import { absolutePath, duration, name, share, version } from '../../../src/repo/schema/common.ts'

test.each([
  ['0', 0],
  ['45s', 45_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['250ms', 250],
  ['1h2m3s4ms', 3_723_004],
])('duration reads %s as milliseconds', (text, milliseconds) => {
  expect(duration.parse(text)).toBe(milliseconds)
})

test.each(['', '5', 'm', '1d', '-5m', '1.5h', '5m1h', ' 5m', '5m ', '1e3s'])('duration refuses "%s"', (text) => {
  expect(duration.safeParse(text).success).toBe(false)
})

test('duration adds up whatever parts it is given', () => {
  const part = fc.nat({ max: 999_999 })
  fc.assert(
    fc.property(part, part, part, (h, m, s) => {
      expect(duration.parse(`${h}h${m}m${s}s`)).toBe(h * 3_600_000 + m * 60_000 + s * 1000)
    }),
  )
})

test.each([
  [2, { count: 2 }],
  [0, { count: 0 }],
  ['20%', { percent: 20 }],
  ['100%', { percent: 100 }],
  ['0%', { percent: 0 }],
])('share reads %s', (written, read) => {
  expect(share.parse(written)).toEqual(read)
})

test.each([-1, 1.5, '2', '101%', '20 %', '%', true, null])('share refuses %s', (written) => {
  expect(share.safeParse(written).success).toBe(false)
})

test.each(['1.36.3', '1.37.0-rc.1', '1.35.4+k3s1'])('version reads %s', (text) => {
  expect(version.safeParse(text).success).toBe(true)
})

test.each(['v1.36.3', '1.36', '1.36.3 ', '1.36.3/..', 'latest', 1.3])('version refuses %s', (text) => {
  expect(version.safeParse(text).success).toBe(false)
})

test.each(['a', 'node-pool-1', '9'])('name reads %s', (text) => {
  expect(name.safeParse(text).success).toBe(true)
})

test.each(['', 'A', '-a', 'a-', 'a.b', 'a/b', 'a'.repeat(64)])('name refuses "%s"', (text) => {
  expect(name.safeParse(text).success).toBe(false)
})

test('absolutePath lets no path through that leads elsewhere than it says', () => {
  const step = fc.constantFrom('..', '.', 'etc', 'a..b', '...', '')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const path = `/${steps.join('/')}`
      if (absolutePath.safeParse(path).success) expect(new URL(`file://${path}`).pathname).toBe(path)
    }),
  )
})
