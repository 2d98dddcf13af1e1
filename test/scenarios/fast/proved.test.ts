import { proved } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(proved, {
  fleet: 'a fleet that proves nodes by a pod',
  size: 60,
  batches: 5,
  failed: [861_700_259],
})
