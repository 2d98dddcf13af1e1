import { expect, test } from 'vitest'
import { type FunctionCalls, firstDifference, testsCalling } from './coverage.ts'

const MODULE = [-60, 1000, 0] as const
const LOADED = [-60, 1000, 1] as const
const outer = (count: number): FunctionCalls => [100, 500, count]
const inner = (count: number): FunctionCalls => [200, 300, count]

test('testsCalling names the tests that call the innermost function around an offset', () => {
  const calls = new Map([
    ['loads', [LOADED, outer(0)]],
    ['outer', [MODULE, outer(3), inner(0)]],
    ['both', [MODULE, outer(1), inner(7)]],
  ])
  expect(testsCalling(250, calls)).toEqual(['both'])
  expect(testsCalling(150, calls)).toEqual(['outer', 'both'])
})

test('testsCalling names no test for a function that none calls', () => {
  expect(testsCalling(150, new Map([['loads', [LOADED, outer(0)]]]))).toEqual([])
})

test('testsCalling does not know who runs the code of a module itself, nor what is called while it is loaded', () => {
  const calls = new Map([
    ['loads', [LOADED, outer(1)]],
    ['other', []],
  ])
  expect(testsCalling(50, calls)).toBeUndefined()
  expect(testsCalling(150, calls)).toBeUndefined()
})

test('firstDifference is where the change begins', () => {
  expect(firstDifference('a === b', 'a !== b')).toBe(2)
  expect(firstDifference('!ready', 'ready')).toBe(0)
})
