import { expect, test } from 'vitest'
import { byText, compareTexts } from '../../src/protocol/by-text.ts'

test.each([
  ['a', 'b', -1],
  ['b', 'a', 1],
  ['a', 'a', 0],
  ['', 'a', -1],
  ['a', 'aa', -1],
  ['n10', 'n9', -1],
  ['Z', 'a', -1],
])('compareTexts of "%s" and "%s" is %i', (a, b, order) => {
  expect(compareTexts(a, b)).toBe(order)
})

test('byText sorts by a text of each item and keeps the order of equal ones', () => {
  const items = [
    { name: 'b', place: 1 },
    { name: 'a', place: 2 },
    { name: 'b', place: 3 },
  ]

  expect(items.toSorted(byText(({ name }) => name)).map(({ place }) => place)).toEqual([2, 1, 3])
})
