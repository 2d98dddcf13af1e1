import { cut } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(cut, {
  fleet: 'a fleet whose commits cut nodes off',
  size: 5,
  batches: 2,
  failed: [1_815_500_000],
})
