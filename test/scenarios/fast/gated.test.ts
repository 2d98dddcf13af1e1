import { gated } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(gated, {
  fleet: 'a fleet with gates',
  size: 60,
  batches: 5,
  failed: [1182, 2923, 78_000_218, 81_000_050, 81_002_745, 500_000_414],
})
