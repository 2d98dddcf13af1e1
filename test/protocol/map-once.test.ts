import { expect, test } from 'vitest'
import { mapOnce } from '../../src/protocol/map-once.ts'

function counting() {
  const asked: object[] = []
  const map = mapOnce((item: { readonly value: number }) => {
    asked.push(item)
    return item.value
  })
  return { asked, map }
}

const [one, two, three] = [{ value: 1 }, { value: 2 }, { value: 3 }] as const

test('a list is mapped again only where another item stands', () => {
  const { asked, map } = counting()
  expect(map([one, two])).toEqual([1, 2])
  expect(map([one, three])).toEqual([1, 3])
  expect(asked).toEqual([one, two, three])
})

test('the results are the same list while they are the same', () => {
  const { map } = counting()
  const before = map([one, two])
  expect(map([one, { value: 2 }])).toBe(before)
  expect(map([one, three])).not.toBe(before)
})

test('a list that grows or shrinks is mapped as far as it goes', () => {
  const { map } = counting()
  expect(map([one])).toEqual([1])
  expect(map([one, two, three])).toEqual([1, 2, 3])
  expect(map([one, two])).toEqual([1, 2])
  expect(map([])).toEqual([])
})

test('results of undefined are results', () => {
  const map = mapOnce((item: string) => (item === '' ? undefined : item))
  expect(map(['', 'a'])).toEqual([undefined, 'a'])
  expect(map(['b', 'a'])).toEqual(['b', 'a'])
})
