import { expect, test } from 'vitest'
import { restAfter } from '../../src/controller/run-leader.ts'

test('passes rest four times as long as they took, and a quarter of a second at most', () => {
  expect([0, 1, 15, 62.5, 5_000].map(restAfter)).toEqual([0, 4, 60, 250, 250])
})
