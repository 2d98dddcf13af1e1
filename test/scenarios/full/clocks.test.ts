import { clocks } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(clocks, {
  fleet: 'a fleet whose controllers have clocks that differ',
  size: 5,
  batches: 2,
  failed: [1_430_000_044, 1_430_000_059, 1_430_000_186],
})
