import { expect, test } from 'vitest'
import type { FleetPolicy } from '../../../src/rollout/decide-fleet.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { aRollout } from '../../rollout/builders/revisions.ts'
import { type Asks, holdsWhere, named } from './asks-of-fleet.ts'
import { budgetOrder } from './invariants/budget-order.ts'

const forward = aPool({ stable: 'older', since: noon - minute, maxUnavailable: 3 })
const back = aPool({ stable: 'new', history: [aRollout('new'), aRollout('worse', { result: 'RolledBack' })], maxUnavailable: 3 })

const serving = ['a', 'b', 'c'].map((name) => aNode(name).on('older'))

function holds(asks: readonly Asks[], policy?: FleetPolicy): boolean | undefined {
  return holdsWhere(budgetOrder, asks, policy)
}

test('the claim falls when a pool goes forward while one that goes back waits for the budget of the fleet', () => {
  const waits = named('gpu', back.with(...serving))

  expect(holds([waits, named('workers', forward.with(...serving), 1)])).toBe(false)
  expect(holds([waits, named('workers', back.with(...serving), 1)])).toBe(true)
  expect(holds([named('gpu', forward.with(...serving)), named('workers', back.with(...serving), 2)])).toBe(true)
})

test('a pool that was rolled back goes back, even when all of its nodes have arrived but those that came since', () => {
  const completed = aPool({ head: 'older', stable: 'older', history: [aRollout('older')], maxUnavailable: 3 })
  const rolledBack = aPool({ stable: 'older', history: [aRollout('older')], controls: { rollback: '' }, maxUnavailable: 3 })

  expect(holds([named('gpu', completed.with(...serving)), named('workers', completed.with(...serving), 2)])).toBe(false)
  expect(holds([named('gpu', completed.with(...serving)), named('workers', rolledBack.with(...serving), 2)])).toBe(true)
})

test('a pool that left the newest commit after its failure goes back, also when it has arrived and further nodes follow', () => {
  const arrived = { history: [aRollout('older', { result: 'Completed' })], stable: 'older', maxUnavailable: 3 }
  const leftIt = aPool({ ...arrived, rejected: ['new'] }).with(...serving)
  const forwardPool = forward.with(...serving)

  expect(holds([named('gpu', leftIt), named('workers', forwardPool, 1)])).toBe(false)
  expect(holds([named('gpu', forwardPool), named('workers', leftIt, 2)])).toBe(true)
})

test('the claim falls when a pool gets two places while another one that goes the same way waits for its first', () => {
  const waits = named('gpu', forward.with(...serving))
  const selects = (count: number, nodes: readonly NodeDraft[] = serving) => named('workers', forward.with(...nodes), count)

  expect(holds([waits, selects(2)])).toBe(false)
  expect(holds([waits, selects(1)])).toBe(true)
  expect(holds([waits, selects(2, [aNode('a').rolledBackFrom('bad'), aNode('b').on('older')])])).toBe(true)
  expect(holds([waits, selects(2)], {})).toBe(true)
})

test('a pool that has a node down may wait for its own budget', () => {
  expect(
    holds([
      named('gpu', back.with(...serving, aNode('d').on('older').notReady())),
      named('workers', forward.with(...serving), 1),
    ]),
  ).toBe(true)
})
