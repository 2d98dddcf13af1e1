import { expect, test } from 'vitest'
import { paused } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 80

test('a fleet whose operators stop drains keeps its rules through stories', async () => {
  const reached = new Set<string>()
  for (let seed = 0; seed < BATCH; seed++)
    expect(await failureOf(paused, seed, (situation) => void reached.add(situation))).toBeUndefined()
  expect(reached).toContain('pause stops a drain')
  // Some seconds of one processor on a quiet machine; it never waits for anything else.
}, 180_000)

test.each([1_631_000_038, 1_631_000_728])(
  'story %i of a fleet whose operators stop drains, which once failed, holds',
  async (seed) => {
    expect(await failureOf(paused, seed)).toBeUndefined()
  },
)
