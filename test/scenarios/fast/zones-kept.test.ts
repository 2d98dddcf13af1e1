import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, nodes } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { zonesKept } from './invariants/zones-kept.ts'
import { triedNode } from './tried-node.ts'

const targets = nodes('b', 'c').map((node) => node.on('older').inZone('zone-b'))

/** Whether the claim holds when a pool takes a node of zone-b beside this one of zone-a, as one does that takes any zone. */
function holdsBeside(node: NodeView, zones: 'Any' | 'OneAtATime' = 'OneAtATime'): boolean | undefined {
  const pool = aPool({ stable: 'older', since: noon - minute, maxFailures: 1 }).with({ ...node, zone: 'zone-a' }, ...targets)
  const decisions = decideFleet({ pools: [pool], policy: {}, controls: {} }, noon)
  const fleet = { pools: [{ ...pool, policy: { ...pool.policy, zones } }], policy: {}, controls: {} }
  return zonesKept.ofDecision?.({ fleet, at: noon, decisions, isNews: true, held: new Set() })
}

test('the claim falls when a node is taken while one of another zone is at work or cordoned by us, or is taken as well', () => {
  expect(holdsBeside(aNode('a').assignedTo('new', { at: noon - 1000 }))).toBe(false)
  expect(holdsBeside(aNode('a').on('older').drainedFor('new'))).toBe(false)
  expect(holdsBeside(aNode('a').on('older'))).toBe(false)
})

test('the claim falls when a node is taken beside one of another zone that the rollout broke, and not when that was put back', () => {
  expect(holdsBeside(triedNode('ruin'))).toBe(false)
  expect(holdsBeside(triedNode('crash'))).toBe(true)
})

test('the claim holds when zones may go together, or the node of the other zone has the target, is held, or is in an outage', () => {
  expect(holdsBeside(aNode('a').on('older'), 'Any')).toBe(true)
  expect(holdsBeside(aNode('a').on('new', { at: noon - 1000 }))).toBe(true)
  expect(holdsBeside(aNode('a').on('older').held())).toBe(true)
  expect(holdsBeside(aNode('a').on('older').notReady())).toBe(true)
  expect(
    holdsBeside(
      aNode('a')
        .on('older')
        .drainedFor('old')
        .notReady(noon - 15 * minute),
    ),
  ).toBe(true)
})
