import { outages, tunedOutages } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(outages, {
  fleet: 'a fleet whose commits break workloads',
  size: 30,
  batches: 2,
  failed: [8, 42, 56, 74, 1077, 1119, 2216, 2400, 2624],
})

testStories(tunedOutages, {
  fleet: 'a fleet whose commits break workloads, and change policies and gates under way,',
  size: 30,
  failed: [2172],
})
