import { expect, test } from 'vitest'
import { fast } from './kinds.ts'
import { failureOf } from './tell-stories.ts'

const SEEDS = 2_500

test('a fleet keeps its rules through any story, and ends with every node at the last good commit', async () => {
  for (let seed = 0; seed < SEEDS; seed++) expect(await failureOf(fast, seed)).toBeUndefined()
  // Seconds on a quiet machine; it never waits for anything but the processor.
}, 120_000)
