import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { NodeList } from '../../../src/controller/cache/node-list.ts'
import { AssumedNodes } from '../../../src/controller/execution/assumed-nodes.ts'
import type { NodeAction } from '../../../src/controller/execution/node-patch.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'

const node = projectNode(namesFor())({ metadata: { name: 'n0', resourceVersion: '1' } })
const nodes = new NodeList([node])
const assign = { kind: 'assign', node: 'n0', revision: 'new', digest: 'd', grant: 'restart', at: 5 } as const

test('a node whose assignment is under way counts as assigned, until it changes in the cache', () => {
  const assumed = new AssumedNodes()
  assumed.assume(node, assign, 'workers')
  const assigned = { digest: 'd', revision: 'new', pool: 'workers', grant: 'restart', at: 5 }
  expect(assumed.applyTo(nodes, 10).get('n0')).toEqual({ ...node, poolLabel: 'workers', view: { ...node.view, assigned } })
  expect(assumed.applyTo(nodes, 10).get('n0')).toBe(assumed.applyTo(nodes, 20).get('n0'))
  const changed = { ...node, view: { ...node.view } }
  expect(assumed.applyTo(new NodeList([changed]), 10).get('n0')).toBe(changed)
})

test('a node that was down when it was assigned counts so while that is under way', () => {
  const assumed = new AssumedNodes()
  assumed.assume(node, { ...assign, nodeWas: 'Down' }, 'workers')
  expect(assumed.of(node, 10).view.assigned?.nodeWas).toBe('Down')
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

const cordon = { kind: 'cordon', node: 'n0', mark: { digest: 'd', at: 5, state: 'Ours' } } as const
const found = { digest: 'd', at: 5, state: 'Found' } as const
const uncordon = { kind: 'uncordon', node: 'n0', lifts: true } as const

test.each<readonly [what: string, action: NodeAction, isCordoned: boolean, after: Partial<NodeView>]>([
  ['a cordon of ours', cordon, false, { unschedulable: true, mark: cordon.mark }],
  ['a mark under the cordon of somebody else', { ...cordon, mark: found }, true, { unschedulable: true, mark: found }],
  ['a mark whose cordon somebody else took back', { ...cordon, mark: found }, false, { unschedulable: false, mark: found }],
  ['an uncordon, which may be refused', uncordon, true, { unschedulable: true }],
  ['assignments by hand that are allowed', { kind: 'allowByHand', node: 'n0', allowed: true }, false, { byHandAllowed: true }],
  ['assignments by hand that are not', { kind: 'allowByHand', node: 'n0', allowed: false }, false, { byHandAllowed: undefined }],
])('a node counts as it is after %s, while that is under way', (_, action, isCordoned, after) => {
  const before = { ...node, view: { ...node.view, unschedulable: isCordoned, byHandAllowed: true } as NodeView }
  const assumed = new AssumedNodes()
  assumed.assume(before, action, 'workers')
  expect(assumed.of(before, 10).view).toEqual({ ...before.view, ...after })
})

test('a node that is gone is not there while its assignment is under way', () => {
  const assumed = new AssumedNodes()
  assumed.assume(node, assign, 'workers')
  expect(assumed.applyTo(new NodeList([]), 10).nodes).toEqual([])
})
