import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { NodeList } from '../../../src/controller/cache/node-list.ts'
import { LostWishes } from '../../../src/controller/execution/lost-wishes.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const bare = projectNode(namesFor())({ metadata: { name: 'n0', resourceVersion: '1' } })
const assigned = { digest: 'd', revision: 'new', pool: 'workers', grant: 'restart', at: 5 } as const
const node = { ...bare, view: { ...bare.view, assigned } }
const wish = { digest: 'd', assignedAt: 5, state: 'Wanted' } as const

test('a node whose wish for a proof was lost is seen with it, and as the same for as long as only its version changes', () => {
  const wishes = new LostWishes()
  wishes.lost('n0', wish)
  const seen = wishes.of(node)
  expect(seen.view).toEqual({ ...node.view, proof: wish })
  expect(wishes.applyTo(new NodeList([node])).get('n0')).toBe(seen)
  expect(wishes.of({ ...node, resourceVersion: '2' }).view).toBe(seen.view)
})

test.each([
  ['is assigned something else', { ...node, view: { ...node.view, assigned: { ...assigned, at: 6 } } }],
  ['shows a result', { ...node, view: { ...node.view, proof: { ...wish, state: 'Passed' as const, endedAt: 7 } } }],
])('a lost wish is forgotten when its node %s', (_, changed) => {
  const wishes = new LostWishes()
  wishes.lost('n0', wish)
  expect(wishes.of(changed)).toBe(changed)
  expect(wishes.of(node)).toBe(node)
})

test('a lost wish is forgotten when its node is gone', () => {
  const wishes = new LostWishes()
  wishes.lost('n0', wish)
  wishes.applyTo(new NodeList([]))
  expect(wishes.of(node)).toBe(node)
})
