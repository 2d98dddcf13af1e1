import { expect, test } from 'vitest'
import { behind } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'
import { testStories } from '../test-stories.ts'

testStories(behind, {
  fleet: 'a fleet whose watches are behind, while what is read again is not,',
  size: 5,
  batches: 2,
  failed: [1_541_000_003, 1_541_000_377, 1_841_000_122],
})

test.each([27, 35])(
  'story %i counts one failure when a canary is too slow and another one ends its work in time, which no watch shows',
  async (seed) => {
    expect(await failureOf(behind, seed)).toBeUndefined()
  },
  180_000,
)
