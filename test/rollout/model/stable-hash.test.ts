import { expect, test } from 'vitest'
import { stableHash } from '../../../src/rollout/model/stable-hash.ts'

test('stableHash is the same in every release: waves of a rollout under way must not move', () => {
  expect(stableHash('workers', 'node-1')).toBe(1340461459)
})

test('stableHash scatters neighbours evenly', () => {
  const quarters = [0, 0, 0, 0]
  for (let i = 0; i < 4000; i++) {
    const quarter = stableHash('workers', `node-${i}`) >>> 30
    quarters[quarter] = (quarters[quarter] ?? 0) + 1
  }

  expect(Math.min(...quarters)).toBeGreaterThan(900)
  expect(Math.max(...quarters)).toBeLessThan(1100)
})
