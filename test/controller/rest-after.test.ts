import { expect, test } from 'vitest'
import { restAfter } from '../../src/controller/run-leader.ts'

test('passes rest nine times as long as they took, and a quarter of a second at most', () => {
  expect([0, 1, 15, 62.5, 5_000].map(restAfter)).toEqual([0, 9, 135, 250, 250])
})
