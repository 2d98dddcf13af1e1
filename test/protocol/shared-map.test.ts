import { expect, test } from 'vitest'
import { SharedMap } from '../../src/protocol/shared-map.ts'

const before = SharedMap.of(
  new Map([
    ['a', 1],
    ['b', 2],
  ]),
)

test('a shared map with another value has it in the place of the last one, and leaves the map before as it was', () => {
  const after = before.with(new Map([['b', 3]]))
  expect([...after]).toEqual([
    ['a', 1],
    ['b', 3],
  ])
  expect([after.get('a'), after.get('b'), after.get('c')]).toEqual([1, 3, undefined])
  expect(before.get('b')).toBe(2)
})

test('a shared map takes no name that is not there', () => {
  expect(() => before.with(new Map([['c', 3]]))).toThrow('put "c": there is no such name')
})
