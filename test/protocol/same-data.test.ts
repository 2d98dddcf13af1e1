import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameData } from '../../src/protocol/same-data.ts'

test.each([
  ['equal objects with keys in another order', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
  ['a field that is undefined, and one that is missing', { a: undefined }, { b: 1 }, false],
  ['an object with one more field', { a: 1 }, { a: 1, b: 2 }, false],
  ['lists in another order', [1, 2], [2, 1], false],
  ['a list and a longer one', [1], [1, 2], false],
  ['a list and an object', [], {}, false],
  ['null and an object', null, {}, false],
  ['not-a-number twice', Number.NaN, Number.NaN, true],
  ['a field that only the prototype has', { toString: 1 }, { a: 1 }, false],
  ['maps with equal entries', new Map([['a', { b: 1 }]]), new Map([['a', { b: 1 }]]), true],
  ['maps with other entries', new Map([['a', { b: 1 }]]), new Map([['a', { b: 2 }]]), false],
])('isSameData compares %s', (_, a, b, same) => {
  expect(isSameData(a, b)).toBe(same)
})

test('isSameData says what isDeepStrictEqual says of any plain data', () => {
  const data = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => JSON.parse(JSON.stringify(value)))
  fc.assert(fc.property(data, data, (a, b) => isSameData(a, b) === isDeepStrictEqual(a, b) && isSameData(a, structuredClone(a))))
})
