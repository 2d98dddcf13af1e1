import { edited } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(edited, {
  fleet: 'a fleet whose waves are changed under way',
  size: 40,
  batches: 2,
  failed: [980_000_148],
})
