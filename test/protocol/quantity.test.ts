import { expect, test } from 'vitest'
import { parseQuantity } from '../../src/protocol/quantity.ts'

test.each([
  ['1048576', 1_048_576],
  [4, 4],
  ['7910m', 7.91],
  ['1Ki', 1024],
  ['1.5Gi', 1_610_612_736],
  ['2k', 2000],
])('parseQuantity reads %s', (quantity, expected) => {
  expect(parseQuantity(quantity)).toBe(expected)
})

test.each(['', '-1', '1KB', '1 Gi', '1e3', 'Ki', undefined, null, {}, 'constructor', '1hasOwnProperty'])(
  'parseQuantity gives undefined for %s',
  (quantity) => {
    expect(parseQuantity(quantity)).toBe(undefined)
  },
)
