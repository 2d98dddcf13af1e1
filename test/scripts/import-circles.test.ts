import { expect, test } from 'vitest'
import { circlesIn } from '../../scripts/import-circles.ts'

test('circlesIn names the files along a circle, and none where imports go one way', () => {
  const oneWay = new Map([
    ['a', ['b', 'c']],
    ['b', ['c']],
    ['c', []],
  ])

  expect(circlesIn(oneWay)).toEqual([])
  expect(circlesIn(new Map([...oneWay, ['c', ['a']]]))).toEqual([['a', 'b', 'c', 'a']])
})

test('circlesIn finds a circle that is entered from outside, once', () => {
  const graph = new Map([
    ['entry', ['x']],
    ['x', ['y']],
    ['y', ['x']],
  ])

  expect(circlesIn(graph)).toEqual([['x', 'y', 'x']])
})
