import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { NodeList } from '../../../src/controller/cache/node-list.ts'
import { UnkeptProofs } from '../../../src/controller/execution/unkept-proofs.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const bare = projectNode(namesFor())({ metadata: { name: 'n0', resourceVersion: '1' } })
const assigned = { digest: 'd', revision: 'new', pool: 'workers', grant: 'restart', at: 5 } as const
const node = { ...bare, view: { ...bare.view, assigned } }
const proof = { digest: 'd', assignedAt: 5, state: 'Wanted' } as const

test('a node whose request for a proof was not kept is seen with it, and as the same for as long as only its version changes', () => {
  const unkeptProofs = new UnkeptProofs()
  unkeptProofs.add('n0', proof)
  const seen = unkeptProofs.of(node)
  expect(seen.view).toEqual({ ...node.view, proof })
  expect(unkeptProofs.applyTo(new NodeList([node])).get('n0')).toBe(seen)
  expect(unkeptProofs.of({ ...node, resourceVersion: '2' }).view).toBe(seen.view)
})

test.each([
  ['is assigned something else', { ...node, view: { ...node.view, assigned: { ...assigned, at: 6 } } }],
  ['shows a result', { ...node, view: { ...node.view, proof: { ...proof, state: 'Passed' as const, endedAt: 7 } } }],
])('a request for a proof is forgotten when its node %s', (_, changed) => {
  const unkeptProofs = new UnkeptProofs()
  unkeptProofs.add('n0', proof)
  expect(unkeptProofs.of(changed)).toBe(changed)
  expect(unkeptProofs.of(node)).toBe(node)
})

test('a request for a proof is forgotten when its node is gone', () => {
  const unkeptProofs = new UnkeptProofs()
  unkeptProofs.add('n0', proof)
  unkeptProofs.applyTo(new NodeList([]))
  expect(unkeptProofs.of(node)).toBe(node)
})
