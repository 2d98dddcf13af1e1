import { expect, test } from 'vitest'
import { late } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 5

test.each([0, BATCH])(
  'a fleet whose watches, writes and answers come late keeps its rules through any story from seed %i on',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(late, seed)).toBeUndefined()
    // Two seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([740_000_043, 795_000_003, 871_800_059])('story %i of what comes late, which once failed, holds', async (seed) => {
  expect(await failureOf(late, seed)).toBeUndefined()
})
