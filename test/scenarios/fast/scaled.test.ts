import { expect, test } from 'vitest'
import { scaled } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test('a fleet whose autoscalers replace machines that failed keeps its rules through stories', async () => {
  const reached = new Set<string>()
  for (let seed = 0; seed < 80; seed++)
    expect(await failureOf(scaled, seed, (situation) => void reached.add(situation))).toBeUndefined()

  expect(reached).toContain('machine that failed after completion was replaced')
  expect(reached).toContain('new node waits for another one that tries the content')
  // Some seconds of one processor on a quiet machine; it never waits for anything else.
}, 180_000)

test.each([155, 88_231_256, 99_120_035, 500_003_266, 500_004_922, 950_000_197, 980_000_057, 980_000_438])(
  'story %i of a fleet with autoscalers, which once failed, holds',
  async (seed) => {
    expect(await failureOf(scaled, seed)).toBeUndefined()
  },
)
