import { expect, test } from 'vitest'
import type { FleetPolicy } from '../../../src/rollout/decide-fleet.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action, Decision } from '../../../src/rollout/model/decision.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, type NodeDraft } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { aRollout } from '../../rollout/builders/revisions.ts'
import { budgetOrder } from './invariants/budget-order.ts'

const forward = aPool({ stable: 'older', since: noon - minute, maxUnavailable: 3 })
const back = aPool({ stable: 'new', history: [aRollout('new'), aRollout('worse', { result: 'RolledBack' })], maxUnavailable: 3 })

const serving = ['a', 'b', 'c'].map((name) => aNode(name).on('older'))

/** A pool of that name, which selects its first nodes, or waits for the budget of the fleet. */
interface Asks {
  readonly pool: PoolSnapshot
  readonly selects?: number
}

function named(name: string, pool: PoolSnapshot, selects?: number): Asks {
  return { pool: { ...pool, name }, ...(selects !== undefined && { selects }) }
}

function holds(asks: readonly Asks[], policy: FleetPolicy = { maxUnavailable: { count: 3 } }): boolean | undefined {
  const fleet = { pools: asks.map(({ pool }) => pool), policy, controls: {} }
  const decisions = new Map(
    [...decideFleet(fleet, noon)].map(([name, decision]) => [
      name,
      done(
        decision,
        asks.find(({ pool }) => pool.name === name),
      ),
    ]),
  )
  return budgetOrder.ofDecision?.({ fleet, at: noon, decisions, isNews: true, held: new Set() })
}

function done({ status, ...decision }: Decision, { pool, selects = 0 }: Asks = expect.fail()): Decision {
  const actions = pool.nodes.slice(0, selects).map(({ name: node }): Action => {
    return { kind: 'assign', node, revision: 'new', digest: 'new', grant: 'restart', at: noon }
  })
  const reason = selects > 0 ? ('RollingOut' as const) : ('WaitingForBudget' as const)
  return {
    ...decision,
    actions,
    status: { ...status, conditions: status.conditions.map((condition) => ({ ...condition, reason })) },
  }
}

test('the claim falls when a pool goes forward while one that goes back waits for the budget of the fleet', () => {
  const waits = named('gpu', back.with(...serving))

  expect(holds([waits, named('workers', forward.with(...serving), 1)])).toBe(false)
  expect(holds([waits, named('workers', back.with(...serving), 1)])).toBe(true)
  expect(holds([named('gpu', forward.with(...serving)), named('workers', back.with(...serving), 2)])).toBe(true)
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
