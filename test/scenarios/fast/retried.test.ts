import { retried } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(retried, {
  fleet: 'a fleet whose operators retry commits that failed',
  size: 60,
  reaches: [
    'commit that has failed is retried',
    'node that failed before a retry fails on as it was',
    'later wave is open after a retry, and a node has failed before',
    'node runs another version than it is to',
    'agent is silent',
  ],
  failed: [1_502_000_051, 1_502_000_104, 1_502_000_918, 1_502_002_386, 1_502_002_902, 1_507_000_703],
})
