import { expect, test } from 'vitest'
import { rebooted } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 40

test.each([0, BATCH])(
  'a fleet whose machines reboot keeps its rules through any story from seed %i on',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(rebooted, seed)).toBeUndefined()
    // Some seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([2_000_004_075, 2_100_000_043])('story %i of a fleet whose machines reboot, which once failed, holds', async (seed) => {
  expect(await failureOf(rebooted, seed)).toBeUndefined()
})
