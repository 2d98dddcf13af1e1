import { expect, test } from 'vitest'
import type { PoolReason } from '../../../src/protocol/node-pool.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { namedHolders } from './invariants/named-holders.ts'

const well = aNode('b-0').on('older')

/** Whether the claim holds when a pool beside the one of these nodes says that of them, or their own pool does. */
function holds(reason: PoolReason, message: string, nodes: readonly NodeDraft[]): boolean | undefined {
  const other = { ...aPool({ stable: 'older', head: 'older' }).with(...nodes), name: 'gpu' }
  const fleet = { pools: [aPool({ stable: 'older' }).with(...nodes), other], policy: {}, controls: {} }
  const decisions = [...decideFleet(fleet, noon)].map(([name, decision]) => {
    const conditions = decision.status.conditions.map((condition) => ({ ...condition, reason, message }))
    return [name, { ...decision, status: { ...decision.status, conditions } }] as const
  })
  return namedHolders.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

test('the claim falls when the budget of the Fleet is said to be used up by a node that is well, or is not there', () => {
  const message = 'the fleet\'s budget is used up by "b-0" and "b-1" of "gpu", which waits for this pool: repair them'
  const down = [well.notReady(), aNode('b-1').on('older').cordoned()]

  expect(holds('WaitingForBudget', message, down)).toBe(true)
  expect(holds('WaitingForBudget', message, [well, ...down.slice(1)])).toBe(false)
  expect(holds('WaitingForBudget', message, down.slice(0, 1))).toBe(false)
})

test('the claim falls when the budget or the zone of a pool is said to be used up by a node that is well', () => {
  const used = 'used up by "b-0" (not Ready) and 1 more: repair them, or raise maxUnavailable of the pool'
  const zones = 'zones: OneAtATime lets no other zone begin before "b-0" (cordoned): repair them'

  expect([used, zones].map((message) => holds('WaitingForBudget', message, [well]))).toEqual([false, false])
  expect(holds('WaitingForBudget', used, [well.notReady()])).toBe(true)
  expect(holds('WaitingForBudget', zones, [well.drainedFor('new')])).toBe(true)
})

test('the claim falls when a node is said to have gone down, or to be drained, that is well', () => {
  const wentDown = '"b-0" went down after new was applied there'
  const drained = '"b-0", drained since 2026-11-21T11:59:00.000Z: pod "shop/x" is protected by PodDisruptionBudget "cart"'

  expect([holds('NodesDown', wentDown, [well]), holds('NodesDown', wentDown, [well.notReady(noon - minute)])]).toEqual([
    false,
    true,
  ])
  expect([holds('DrainBlocked', drained, [well]), holds('DrainBlocked', drained, [well.drainedFor('new')])]).toEqual([
    false,
    true,
  ])
})
