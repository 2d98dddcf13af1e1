import { expect, test } from 'vitest'
import { gated } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test('a fleet with gates keeps its rules through any story, and ends with every node at the last good commit', async () => {
  for (let seed = 0; seed < 300; seed++) expect(await failureOf(gated, seed)).toBeUndefined()
}, 120_000)
