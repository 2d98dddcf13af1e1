import { expect, test } from 'vitest'
import { full } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test('the real controller and agents keep the rules through any story, and bring every host to the last good commit', async () => {
  for (let seed = 0; seed < 25; seed++) expect(await failureOf(full, seed)).toBeUndefined()
  // Some seconds of one processor; it never waits for anything else.
}, 180_000)
