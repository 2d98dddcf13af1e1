import { expect, test } from 'vitest'
import { gated } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 60

test.each(Array.from({ length: 5 }, (_, i) => i * BATCH))(
  'a fleet with gates keeps its rules through any story from seed %i on, and ends with every node at the last good commit',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(gated, seed)).toBeUndefined()
    // Some seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([1182, 2923, 78_000_218, 81_000_050, 81_002_745, 500_000_414])(
  'story %i of a fleet with gates, which once failed, holds',
  async (seed) => {
    expect(await failureOf(gated, seed)).toBeUndefined()
  },
)
