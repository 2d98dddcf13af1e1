import { scaled } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(scaled, {
  fleet: 'a fleet whose autoscalers replace machines that failed',
  size: 80,
  reaches: ['machine that failed after completion was replaced', 'new node waits for another one that tries the content'],
  failed: [155, 88_231_256, 99_120_035, 500_003_266, 500_004_922, 950_000_197, 980_000_057, 980_000_438],
})
