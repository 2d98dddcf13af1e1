import { tuned } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(tuned, {
  fleet: 'a fleet whose policies, dependencies and limits are changed under way',
  size: 40,
  batches: 2,
})
