import { expect, test } from 'vitest'
import { returned } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test('a fleet whose commits are reverted, and come again, keeps its rules through stories', async () => {
  const reached = new Set<string>()
  for (let seed = 0; seed < 60; seed++)
    expect(await failureOf(returned, seed, (situation) => void reached.add(situation))).toBeUndefined()

  expect(reached).toContain('content that the pool went back from comes again')
  // Some seconds of one processor on a quiet machine; it never waits for anything else.
}, 180_000)

test.each([882_000_396, 1_501_000_503])(
  'story %i of a fleet whose commits come again, which once failed, holds',
  async (seed) => {
    expect(await failureOf(returned, seed)).toBeUndefined()
  },
)
