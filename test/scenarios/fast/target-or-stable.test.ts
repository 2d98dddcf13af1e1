import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, aYoungNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { targetOrStable } from './invariants/target-or-stable.ts'

/** Whether the claim holds when the node is assigned that, and nothing else is done. */
function holdsWhenGiven(digest: string, node: NodeDraft): boolean | undefined {
  const pool = aPool({ stable: 'older', since: noon - minute }).with(node)
  const fleet = { pools: [pool], policy: {}, controls: {} }
  const action: Action = { kind: 'assign', node: node.name, revision: digest, digest, grant: 'restart', at: noon }
  const decisions = [...decideFleet(fleet, noon)].map(([name, decision]) => [name, { ...decision, actions: [action] }] as const)
  return targetOrStable.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

const early = noon - 20 * minute
const sound = aNode('a').on('earlier')

test('the claim falls when a node is given what is neither the target nor the stable content', () => {
  expect(holdsWhenGiven('new', sound)).toBe(true)
  expect(holdsWhenGiven('other', sound)).toBe(false)
  expect(holdsWhenGiven('other', aYoungNode('a'))).toBe(false)
})

test('the claim falls when a node that serves is given the stable content beside another target', () => {
  expect(holdsWhenGiven('older', sound)).toBe(false)
  expect(holdsWhenGiven('older', aNode('a').rolledBackFrom('bad', { at: early }))).toBe(false)
  expect(holdsWhenGiven('older', aNode('a').assignedTo('bad', { at: noon - minute }))).toBe(false)
})

test('the claim holds when a node that is young, down or overdue is given the stable content', () => {
  expect(holdsWhenGiven('older', aYoungNode('a'))).toBe(true)
  expect(holdsWhenGiven('older', aNode('a').on('bad', { at: early }).notReady())).toBe(true)
  expect(holdsWhenGiven('older', aNode('a').assignedTo('bad', { at: early }))).toBe(true)
  expect(holdsWhenGiven('older', aNode('a').assignedTo('bad', { at: early }).reporting('Failed'))).toBe(true)
})
