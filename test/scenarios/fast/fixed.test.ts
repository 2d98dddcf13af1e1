import { fixed } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(fixed, {
  fleet: 'a fleet with gates whose bad commits are followed by a fix',
  size: 100,
  reaches: ['broken node gets the stable content'],
  failed: [1009, 1064, 1_020_001_485],
})
