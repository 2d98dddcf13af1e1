import { returned } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(returned, {
  fleet: 'a fleet whose commits are reverted, and come again,',
  size: 60,
  reaches: ['content that the pool went back from comes again'],
  failed: [882_000_396, 1_501_000_503],
})
