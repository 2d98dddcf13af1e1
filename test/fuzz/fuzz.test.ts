import { expect, test } from 'vitest'
import { runSeeds } from './campaign.ts'
import { TARGETS } from './targets.ts'

/** The same ones each time; `npm run fuzz` takes others. */
const SEEDS = { from: 0, to: 100 }

test.for(Object.keys(TARGETS))('%s: no input crashes a parser or keeps it busy', async (name) => {
  expect(await runSeeds(name, SEEDS)).toBeUndefined()
})
