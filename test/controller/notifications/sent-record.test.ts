import { expect, test } from 'vitest'
import { filterIn } from '../../../src/controller/notifications/sent-record.ts'

test.each([
  ['pools alone', '{"pools":["*"]}', { pools: ['*'] }],
  ['pools and reasons', '{"pools":["a","b"],"reasons":["Paused"]}', { pools: ['a', 'b'], reasons: ['Paused'] }],
  ['reasons that are no list', '{"pools":["a"],"reasons":"Paused"}', { pools: ['a'] }],
  ['pools that are no list', '{"pools":"a"}', undefined],
  ['no JSON', '{', undefined],
  ['nothing', undefined, undefined],
])('the filter of a record is read, or counts as unknown, when it has %s', (_, text, filter) => {
  expect(filterIn(text)).toEqual(filter)
})
