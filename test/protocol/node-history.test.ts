import { expect, test } from 'vitest'
import { addToNodeHistory, parseNodeHistory } from '../../src/protocol/node-history.ts'

test('a history keeps the last eight runs, the newest first', () => {
  let text: string | undefined
  for (let run = 0; run < 10; run++) text = addToNodeHistory(text, { revision: String(run), until: '2026-11-21T08:00:00Z' })

  expect(parseNodeHistory(text).map(({ revision }) => revision)).toEqual(['9', '8', '7', '6', '5', '4', '3', '2'])
})

test('what is no history of ours is none, and the next run begins again', () => {
  for (const text of ['', 'x', '{}', '[{"revision":1}]', `["${'x'.repeat(9000)}"]`]) expect(parseNodeHistory(text)).toEqual([])
  expect(addToNodeHistory('broken', { revision: 'a', until: 'b' })).toBe('[{"revision":"a","until":"b"}]')
})
