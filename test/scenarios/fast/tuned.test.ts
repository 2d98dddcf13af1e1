import { expect, test } from 'vitest'
import { tuned } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 40

test.each([0, BATCH])(
  'a fleet whose policies, dependencies and limits are changed under way keeps its rules through any story from seed %i on',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(tuned, seed)).toBeUndefined()
    // Some seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)
