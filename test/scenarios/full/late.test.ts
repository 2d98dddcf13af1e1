import { late } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(late, {
  fleet: 'a fleet whose watches, writes and answers come late',
  size: 5,
  batches: 2,
  failed: [740_000_043, 795_000_003, 871_800_059],
})
