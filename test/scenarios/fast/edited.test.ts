import { expect, test } from 'vitest'
import { edited } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 40

test.each([0, BATCH])(
  'a fleet whose waves are changed under way keeps its rules through any story from seed %i on',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(edited, seed)).toBeUndefined()
    // Some seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([980_000_148])('story %i of a fleet whose waves are changed under way, which once failed, holds', async (seed) => {
  expect(await failureOf(edited, seed)).toBeUndefined()
})
