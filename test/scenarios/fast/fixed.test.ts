import { expect, test } from 'vitest'
import { fixed } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test('a fleet with gates keeps its rules through stories in which a fix follows a commit that breaks nodes', async () => {
  const reached = new Set<string>()
  for (let seed = 0; seed < 100; seed++)
    expect(await failureOf(fixed, seed, (situation) => void reached.add(situation))).toBeUndefined()

  expect(reached).toContain('broken node gets the stable content')
  // Some seconds of one processor on a quiet machine; it never waits for anything else.
}, 180_000)

test.each([1009, 1064, 1_020_001_485])('story %i of a fleet with gates and fixes, which once failed, holds', async (seed) => {
  expect(await failureOf(fixed, seed)).toBeUndefined()
})
