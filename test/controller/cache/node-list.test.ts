import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { NodeList } from '../../../src/controller/cache/node-list.ts'

const node = (name: string, resourceVersion = '1') => ({ name, resourceVersion }) as ClusterNode
const [a, b, c] = [node('a'), node('b'), node('c')]
const later = node('a', '2')

test.each<readonly [what: string, nodes: readonly ClusterNode[], found: readonly (string | undefined)[]]>([
  ['the same', [a, b], ['a 1', 'b 1', undefined]],
  ['one that changed', [later, b], ['a 2', 'b 1', undefined]],
  ['another order', [b, a], ['a 1', 'b 1', undefined]],
  ['one more', [a, b, c], ['a 1', 'b 1', 'c 1']],
  ['one less', [a], ['a 1', undefined, undefined]],
  ['another one in the place of one', [a, c], ['a 1', undefined, 'c 1']],
])('a list that is made like one of a and b finds its nodes by name: %s', (_, nodes, found) => {
  const list = new NodeList(nodes, new NodeList([a, b]))
  expect(['a', 'b', 'c'].map((name) => list.get(name)).map((each) => each && `${each.name} ${each.resourceVersion}`)).toEqual(
    found,
  )
})

test('a list that is shorter than the one that it is made like has no place for the rest', () => {
  expect(new NodeList([a], new NodeList([a, b])).with([b]).nodes).toEqual([a])
})

test('nodes of a list are replaced in their places, and those that it does not have are not added', () => {
  const list = new NodeList([a, b])
  expect(list.with([later, c]).nodes).toEqual([later, b])
  expect(list.nodes).toEqual([a, b])
})
