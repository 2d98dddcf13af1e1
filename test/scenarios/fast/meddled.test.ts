import { expect, test } from 'vitest'
import { meddled } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 40

test.each([0, BATCH])(
  'a fleet in which other tools change what the controller remembers keeps its rules through any story from seed %i on',
  async (start) => {
    const reached = new Set<string>()
    for (let seed = start; seed < start + BATCH; seed++)
      expect(await failureOf(meddled, seed, (situation) => void reached.add(situation))).toBeUndefined()

    expect(reached).toContain('older assignment comes back')
    expect(reached).toContain('assignment is lost')
    expect(reached).toContain('rollout is traced by its nodes')
    // Some seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([
  1_770_000_006, 1_770_000_023, 1_770_000_047, 1_770_030_142, 1_792_000_309, 1_792_000_874, 1_800_000_366, 1_800_000_953,
  1_801_000_929, 1_801_002_275, 1_802_000_827,
])('story %i of a fleet in which other tools change what the controller remembers, which once failed, holds', async (seed) => {
  expect(await failureOf(meddled, seed)).toBeUndefined()
})
