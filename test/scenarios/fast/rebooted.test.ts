import { rebooted } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(rebooted, {
  fleet: 'a fleet whose machines reboot',
  size: 40,
  batches: 2,
  failed: [2_000_004_075, 2_100_000_043],
})
