import { expect, test } from 'vitest'
import { outages, tunedOutages } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 30

/** Story 74 fails, and is not looked into yet: a good commit does not reach every node. */
test.each([0, BATCH])(
  'content that breaks workloads passes no gate in any story from seed %i on, and ends with every node at the last good commit',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(outages, seed)).toBeUndefined()
    // Some seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([8, 42, 56, 1077, 1119, 2216, 2400, 2624])('story %i of outages, which once failed, holds', async (seed) => {
  expect(await failureOf(outages, seed)).toBeUndefined()
})

test('content that breaks workloads passes no gate when commits change policies and gates under way', async () => {
  for (let seed = 0; seed < BATCH; seed++) expect(await failureOf(tunedOutages, seed)).toBeUndefined()
}, 180_000)
