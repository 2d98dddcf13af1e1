import { meddled } from '../kinds.ts'
import { testStories } from '../test-stories.ts'

testStories(meddled, {
  fleet: 'a fleet in which other tools change what the controller remembers',
  size: 40,
  batches: 2,
  reaches: ['older assignment comes back', 'assignment is lost', 'rollout is traced by its nodes'],
  failed: [
    1_770_000_006, 1_770_000_023, 1_770_000_047, 1_770_030_142, 1_792_000_309, 1_792_000_874, 1_800_000_366, 1_800_000_953,
    1_801_000_929, 1_801_002_275, 1_802_000_827, 1_803_001_269, 1_803_001_722, 1_803_002_802, 1_803_002_858, 1_805_000_336,
  ],
})
