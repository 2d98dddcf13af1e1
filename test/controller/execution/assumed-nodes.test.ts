import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { NodeList } from '../../../src/controller/cache/node-list.ts'
import { AssumedNodes } from '../../../src/controller/execution/assumed-nodes.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const node = projectNode(namesFor())({ metadata: { name: 'n0', resourceVersion: '1' } })
const nodes = new NodeList([node])
const assign = { kind: 'assign', node: 'n0', revision: 'new', digest: 'd', grant: 'restart', at: 5 } as const

test('a node whose assignment is under way counts as assigned, until it changes in the cache', () => {
  const assumed = new AssumedNodes()
  assumed.assume(node, assign, 'workers')
  const assigned = { digest: 'd', revision: 'new', pool: 'workers', grant: 'restart', at: 5 }
  expect(assumed.applyTo(nodes, 10).get('n0')?.view.assigned).toEqual(assigned)
  expect(assumed.applyTo(nodes, 10).get('n0')).toBe(assumed.applyTo(nodes, 20).get('n0'))
  const changed = { ...node, view: { ...node.view } }
  expect(assumed.applyTo(new NodeList([changed]), 10).get('n0')).toBe(changed)
})

test('a write whose fate is not known is counted on for a while only', () => {
  const assumed = new AssumedNodes()
  assumed.assume(node, assign, 'workers')
  assumed.doubt('n0', { at: 500, until: 1_000 })
  expect(assumed.of(node, 999).view.assigned?.revision).toBe('new')
  expect(assumed.of(node, 1_000)).toBe(node)
  expect(assumed.has('n0')).toBe(false)
})

test('a write whose fate is not known is counted on by a pass that began before it, and not when the clock was put back', () => {
  const assumed = new AssumedNodes()
  assumed.assume(node, assign, 'workers')
  assumed.doubt('n0', { at: 100_000, until: 101_000 })
  expect(assumed.of(node, 70_000).view.assigned?.revision).toBe('new')
  expect(assumed.of(node, 40_000)).toBe(node)
  expect(assumed.has('n0')).toBe(false)
})
