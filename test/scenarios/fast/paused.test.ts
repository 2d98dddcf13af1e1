import { paused } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(paused, {
  fleet: 'a fleet whose operators stop drains',
  size: 80,
  reaches: ['pause stops a drain'],
  failed: [1_631_000_038, 1_631_000_728],
})
