import { expect, test } from 'vitest'
import { retried } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test('a fleet whose operators retry commits that failed keeps its rules through stories', async () => {
  const reached = new Set<string>()
  for (let seed = 0; seed < 60; seed++)
    expect(await failureOf(retried, seed, (situation) => void reached.add(situation))).toBeUndefined()

  expect(reached).toContain('commit that has failed is retried')
  expect(reached).toContain('node that failed before a retry fails on as it was')
  expect(reached).toContain('later wave is open after a retry, and a node has failed before')
  expect(reached).toContain('node runs another version than it is to')
  expect(reached).toContain('agent is silent')
  // Some seconds of one processor on a quiet machine; it never waits for anything else.
}, 180_000)

test.each([1_502_000_051, 1_502_000_104, 1_502_000_918, 1_502_002_386, 1_502_002_902, 1_507_000_703])(
  'story %i of a fleet whose operators retry commits, which once failed, holds',
  async (seed) => {
    expect(await failureOf(retried, seed)).toBeUndefined()
  },
)
