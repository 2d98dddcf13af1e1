import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPod } from '../../rollout/builders/pods.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { heldLeftAlone } from './invariants/held-left-alone.ts'

/** Whether the claim holds when a hold comes after all that the pool decides to do. */
function holdsAfterHold(node: NodeDraft, disruption: 'restart' | 'drain'): boolean | undefined {
  const [before, after] = [node, node.held()].map((each) =>
    aPool({ stable: 'older', since: noon - minute, disruption, pods: { a: [aPod('x')] } }).with(each),
  )
  if (!before || !after) throw new Error('there is no pool')
  const decisions = decideFleet({ pools: [before], policy: {}, controls: {} }, noon)
  const fleet = { pools: [after], policy: {}, controls: {} }
  return heldLeftAlone.ofDecision?.({ fleet, at: noon, decisions, isNews: true, held: new Set() })
}

test('the claim falls when a held node is assigned something, is cordoned, or loses a pod', () => {
  expect(holdsAfterHold(aNode('a').on('older'), 'restart')).toBe(false)
  expect(holdsAfterHold(aNode('a').on('older'), 'drain')).toBe(false)
  expect(holdsAfterHold(aNode('a').on('older').drainedFor('new'), 'drain')).toBe(false)
})

test('the claim holds when the cordon of a held node is taken back, and when nothing is to be done to it', () => {
  expect(
    holdsAfterHold(
      aNode('a')
        .on('new', { at: noon - minute })
        .drainedFor('new'),
      'drain',
    ),
  ).toBe(true)
  expect(holdsAfterHold(aNode('a').on('new', { at: noon - minute }), 'restart')).toBe(true)
})
