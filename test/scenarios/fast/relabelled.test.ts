import { expect, test } from 'vitest'
import { relabelled } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test('a fleet whose nodes change their labels keeps its rules through stories', async () => {
  const reached = new Set<string>()
  for (let seed = 0; seed < 80; seed++)
    expect(await failureOf(relabelled, seed, (situation) => void reached.add(situation))).toBeUndefined()

  expect(reached).toContain('labels of a node change amid its work')
  expect(reached).toContain('labels of a failed node change')
  expect(reached).toContain('labels of a node change in its soak')
  expect(reached).toContain('labels of a node change after completion')
  expect(reached).toContain('node that was taken down, and whose labels changed, stops the commit')
  // Some seconds of one processor on a quiet machine; it never waits for anything else.
}, 180_000)

test.each([10_730, 2_000_001_133, 2_100_000_438, 1_631_000_217])(
  'story %i of a fleet whose nodes change their labels, which once failed, holds',
  async (seed) => {
    expect(await failureOf(relabelled, seed)).toBeUndefined()
  },
)
