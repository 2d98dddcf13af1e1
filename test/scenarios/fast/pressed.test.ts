import { pressed } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(pressed, {
  fleet: 'a fleet whose nodes come under pressure',
  size: 80,
  reaches: ['node fails by pressure in its soak'],
  failed: [271, 283, 722],
})
