import { expect, test } from 'vitest'
import { fast } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 50

test.each(Array.from({ length: 30 }, (_, i) => i * BATCH))(
  'a fleet keeps its rules through any story from seed %i on, and ends with every node at the last good commit',
  async (start) => {
    for (let seed = start; seed < start + BATCH; seed++) expect(await failureOf(fast, seed)).toBeUndefined()
    // 2 s of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test.each([
  2_254, 2_941, 200_297, 400_491, 401_098, 402_290, 402_777, 404_279, 501_111, 511_453, 513_053, 516_529, 516_585, 600_114,
  81_002_445, 300_000_477, 300_005_639, 300_007_428, 300_038_983, 300_043_505, 300_049_143, 300_070_107, 300_080_566, 300_088_805,
  300_104_803, 400_003_674, 400_019_598, 500_008_534, 500_011_672, 500_012_942, 510_000_105, 500_057_170, 500_072_829,
  700_049_786, 800_007_077, 800_009_036, 830_032_376, 1_000_207_880, 1_040_094_007, 1_070_014_020, 1_070_060_768, 1_070_083_333,
  1_070_085_236, 1_070_092_409, 1_070_104_406, 1_070_111_175, 1_070_142_946, 1_130_038_346, 1_160_083_259, 1_230_103_016,
  1_440_063_414, 1_540_000_154, 1_540_000_399, 1_540_011_563, 1_580_013_612, 1_580_022_029, 1_760_012_290, 1_762_023_303,
  1_790_008_021, 1_791_027_265,
])('story %i, which once failed, holds', async (seed) => {
  expect(await failureOf(fast, seed)).toBeUndefined()
})
