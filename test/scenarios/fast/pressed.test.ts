import { expect, test } from 'vitest'
import { pressed } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

const BATCH = 80

test('a fleet whose nodes come under pressure keeps its rules through stories', async () => {
  const reached = new Set<string>()
  for (let seed = 0; seed < BATCH; seed++)
    expect(await failureOf(pressed, seed, (situation) => void reached.add(situation))).toBeUndefined()
  expect(reached).toContain('node fails by pressure in its soak')
  // Some seconds of one processor on a quiet machine; it never waits for anything else.
}, 180_000)

test.each([271, 283, 722])('story %i of a fleet whose nodes come under pressure, which once failed, holds', async (seed) => {
  expect(await failureOf(pressed, seed)).toBeUndefined()
})
