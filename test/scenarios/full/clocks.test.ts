import { expect, test } from 'vitest'
import { clocks } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 5

test.each([0, BATCH])(
  'a fleet whose controllers have clocks that differ keeps its rules through any story from seed %i on',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(clocks, seed)).toBeUndefined()
    // Two seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([1_430_000_044, 1_430_000_059, 1_430_000_186])(
  'story %i of clocks that differ, which once failed, holds',
  async (seed) => {
    expect(await failureOf(clocks, seed)).toBeUndefined()
  },
  180_000,
)
