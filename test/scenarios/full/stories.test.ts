import { full } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(full, {
  fleet: 'a fleet of the real controller and agents',
  size: 5,
  batches: 5,
  failed: [500_000_594, 500_000_605, 620_000_009, 620_000_052, 1_290_002_187],
})
