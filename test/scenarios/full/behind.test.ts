import { expect, test } from 'vitest'
import { behind } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 5

test.each([0, BATCH])(
  'a fleet whose watches are behind, while what is read again is not, keeps its rules through any story from seed %i on',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(behind, seed)).toBeUndefined()
    // Two seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([27, 35])(
  'story %i counts one failure when a canary is too slow and another one ends its work in time, which no watch shows',
  async (seed) => {
    expect(await failureOf(behind, seed)).toBeUndefined()
  },
  180_000,
)
