import { expect, test } from 'vitest'
import { fast } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test('a fleet keeps its rules through any story, and ends with every node at the last good commit', async () => {
  for (let seed = 0; seed < 1_500; seed++) expect(await failureOf(fast, seed)).toBeUndefined()
  // 15 s of one processor on a quiet machine; it never waits for anything else.
}, 180_000)

test.each([200_297, 400_491, 401_098, 402_290, 402_777, 404_279])('story %i, which once failed, holds', async (seed) => {
  expect(await failureOf(fast, seed)).toBeUndefined()
})
