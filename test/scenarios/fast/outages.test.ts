import { meddledOutages, outages, tunedOutages } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(outages, {
  fleet: 'a fleet whose commits break workloads',
  size: 30,
  batches: 2,
  failed: [8, 42, 56, 74, 1077, 1119, 2216, 2400, 2624, 1912000343, 1917000062, 1841000060],
})

testStories(tunedOutages, {
  fleet: 'a fleet whose commits break workloads while others change policies and gates',
  size: 30,
  failed: [2172, 1912000140, 1913000106, 1914000043, 1845000084],
})

testStories(meddledOutages, {
  fleet: 'a fleet whose commits break workloads while other tools change what the controller remembers',
  size: 40,
  reaches: ['assignment is lost', 'rollout is traced by its nodes', 'gate has no record of what was so before its wave'],
  failed: [22, 104, 138, 2029, 2045, 2059, 2153, 3093, 3156, 3452, 3498, 3796, 4249, 4276, 4302, 1932000000],
})
