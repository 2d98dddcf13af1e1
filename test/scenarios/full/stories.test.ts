import { expect, test } from 'vitest'
import { full } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 5

test.each(Array.from({ length: 5 }, (_, i) => i * BATCH))(
  'the real controller and agents keep the rules through any story from seed %i on, and bring every host to the last good commit',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(full, seed)).toBeUndefined()
    // A second of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([500_000_594, 500_000_605, 620_000_009, 620_000_052, 1_290_002_187])(
  'story %i of the real controller and agents, which once failed, holds',
  async (seed) => {
    expect(await failureOf(full, seed)).toBeUndefined()
  },
)
