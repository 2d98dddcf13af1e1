import { expect, test } from 'vitest'
import type { Member } from '../../../src/rollout/model/pool-state.ts'
import { describeFailures, firstFirst, listNames } from '../../../src/rollout/model/text.ts'

test.each<readonly [names: readonly string[], first: string]>([
  [[], ''],
  [['a'], '"a"'],
  [['c', 'a', 'b'], '"a", "b", "c"'],
  [['d', 'c', 'b', 'a'], '"a", "b", "c" and 1 more'],
  [['a', 'b', 'c', 'd', 'e'], '"a", "b", "c" and 2 more'],
  [['e', 'a', 'd', 'c', 'b'], '"a", "b", "c" and 2 more'],
])('firstFirst of %j lets listNames show %s', (names, first) => {
  expect(listNames(firstFirst(names))).toBe(first)
})

function failing(name: string, message: string): Member {
  return { node: { name }, progress: { phase: 'Failed', pending: false, failure: { reason: 'X', message } } } as unknown as Member
}

test('describeFailures names three nodes at the most, by name, and counts the others', () => {
  const said = (...names: string[]) => describeFailures(names.map((name) => failing(name, 'no')))

  expect(said('b', 'a')).toBe('"a": no; "b": no')
  expect(said('c', 'b', 'a')).toBe('"a": no; "b": no; "c": no')
  expect(said('d', 'c', 'b', 'a')).toBe('"a": no; "b": no; "c": no; and 1 more')
})

test('describeFailures cuts what an agent says after four hundred characters', () => {
  expect(describeFailures([failing('a', 'x'.repeat(401))])).toBe(`"a": ${'x'.repeat(400)}`)
})
