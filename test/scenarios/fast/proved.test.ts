import { expect, test } from 'vitest'
import { proved } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 60

test.each(Array.from({ length: 5 }, (_, i) => i * BATCH))(
  'a fleet that proves nodes by a pod keeps its rules through any story from seed %i on, and ends with every node at the last good commit',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(proved, seed)).toBeUndefined()
    // Some seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([861_700_259])('story %i of a fleet that proves nodes by a pod, which once failed, holds', async (seed) => {
  expect(await failureOf(proved, seed)).toBeUndefined()
})
