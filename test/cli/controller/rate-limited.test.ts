import { expect, test } from 'vitest'
import { RateLimited } from '../../../src/cli/controller/rate-limited.ts'

test('work is done one at a time, and a twentieth of the time at most', async () => {
  let now = 0
  const spaced = new RateLimited(() => now)
  const ended = Promise.withResolvers<string>()
  const first = spaced.run(() => ended.promise)
  expect(await spaced.run(async () => 'second')).toBe('busy')
  now = 10
  ended.resolve('first')
  expect(await first).toBe('first')
  now = 209
  expect(await spaced.run(async () => 'third')).toBe('busy')
  now = 210
  expect(await spaced.run(async () => 'fourth')).toBe('fourth')
})

test('work that takes no time is done ten times a second at most, and one that fails keeps nobody out', async () => {
  let now = 0
  const spaced = new RateLimited(() => now)
  await expect(spaced.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  now = 99
  expect(await spaced.run(async () => 'second')).toBe('busy')
  now = 100
  expect(await spaced.run(async () => 'third')).toBe('third')
})
