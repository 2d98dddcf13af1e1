import { outages, tunedOutages } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

// Story 74 fails: a person repairs for a moment what an older, unfinished commit broke on a node outside of the wave. The record of the gate
// is made in that moment, and the good commit that comes next is rejected.
testStories(outages, {
  fleet: 'a fleet whose commits break workloads',
  size: 30,
  batches: 2,
  failed: [8, 42, 56, 1077, 1119, 2216, 2400, 2624],
})

testStories(tunedOutages, { fleet: 'a fleet whose commits break workloads, and change policies and gates under way,', size: 30 })
