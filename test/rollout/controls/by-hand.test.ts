import { expect, test } from 'vitest'
import { byHandChanges } from '../../../src/rollout/controls/by-hand.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'

const closed = aNode('closed')
const open = Object.assign(aNode('open'), { byHandAllowed: true } as const)

test('a pool whose fleet allows assignments by hand opens the nodes that are not open', () => {
  const { policy } = aPool({ head: 'new' }).with()
  expect(byHandChanges({ policy: { ...policy, byHand: 'Allow' }, nodes: [closed, open] })).toEqual([
    { kind: 'allowByHand', node: 'closed', allowed: true },
  ])
})

test('a pool whose fleet says nothing closes the nodes that are open, and writes to no other', () => {
  const { policy } = aPool({ head: 'new' }).with()
  expect(byHandChanges({ policy, nodes: [closed, open] })).toEqual([{ kind: 'allowByHand', node: 'open', allowed: false }])
})
