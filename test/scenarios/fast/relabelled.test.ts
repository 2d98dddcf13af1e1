import { relabelled } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(relabelled, {
  fleet: 'a fleet whose nodes change their labels',
  size: 80,
  reaches: [
    'labels of a node change amid its work',
    'labels of a failed node change',
    'labels of a node change in its soak',
    'labels of a node change after completion',
    'node that was taken down, and whose labels changed, stops the commit',
  ],
  failed: [10_730, 2_000_001_133, 2_100_000_438, 1_631_000_217],
})
