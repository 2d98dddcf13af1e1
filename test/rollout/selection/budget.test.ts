import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { phases, selected, verdict } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'

const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))

test('a node that is not ready uses up the budget', () => {
  const pool = aPool({ stable: 'older', maxUnavailable: 1, waves: [] }).with(aNode('x').on('new').notReady(), ...old('a', 'b'))

  const decision = decide(pool, noon)

  expect(selected(decision)).toEqual([])
  expect(verdict(decision).Reconciling).toBe('True WaitingForBudget')
})

test('a node that somebody cordoned uses up the budget', () => {
  const pool = aPool({ stable: 'older', maxUnavailable: 1 }).with(aNode('x').on('new').cordoned(), ...old('a', 'b'))

  expect(selected(decide(pool, noon))).toEqual([])
})

test('a node at work uses up the budget, though it is Ready', () => {
  const pool = aPool({ stable: 'older', since: noon - minute, maxUnavailable: 2 }).with(
    aNode('x').assignedTo('new', { at: noon - minute }),
    ...old('a', 'b', 'c'),
  )

  expect(selected(decide(pool, noon))).toHaveLength(1)
})

test('a node that was put back does not use up the budget', () => {
  const pool = aPool({ stable: 'older', since: noon - minute, maxUnavailable: 1, maxFailures: 1 }).with(
    aNode('x').rolledBackFrom('new'),
    ...old('a', 'b'),
  )

  expect(selected(decide(pool, noon))).toHaveLength(1)
})

test('held nodes and nodes assigned by hand count in the budget', () => {
  const pool = aPool({ stable: 'older', maxUnavailable: 2 }).with(
    aNode('x').on('older').held().notReady(),
    aNode('y').byHand().notReady(),
    ...old('a', 'b'),
  )

  expect(selected(decide(pool, noon))).toEqual([])
})

test('a percentage rounds down', () => {
  expect(
    selected(decide(aPool({ stable: 'older', maxUnavailable: '50%' }).with(...old('a', 'b', 'c', 'd', 'e')), noon)),
  ).toHaveLength(2)
})

test('a percentage of a small pool allows one node', () => {
  expect(selected(decide(aPool({ stable: 'older', maxUnavailable: '10%' }).with(...old('a', 'b')), noon))).toHaveLength(1)
})

test('the cap of the fleet limits a pool further', () => {
  const pool = aPool({ stable: 'older', maxUnavailable: 3 }).with(...old('a', 'b', 'c'))
  const decisions = decideFleet({ pools: [pool], policy: { maxUnavailable: { count: 1 } }, controls: {} }, noon)

  expect([...decisions.values()].flatMap(selected)).toHaveLength(1)
})

test('nodes that are down are assigned with their wave and cost nothing', () => {
  const pool = aPool({ stable: 'older', maxUnavailable: 3 }).with(
    ...old('a', 'b').map((node) => node.notReady()),
    ...old('c', 'd', 'e'),
  )

  expect(selected(decide(pool, noon)).toSorted().slice(0, 2)).toEqual(['a', 'b'])
  expect(selected(decide(pool, noon))).toHaveLength(3)
})

test('a node whose host has the content already is assigned though the budget is spent', () => {
  const pool = aPool({ head: 'older', stable: 'older', maxUnavailable: 1 }).with(
    aNode('x').on('older').notReady(),
    aNode('a').rolledBackFrom('bad', { to: 'older' }),
  )

  expect(selected(decide(pool, noon))).toEqual(['a'])
  expect(phases(decide(pool, noon))).toEqual({ Waiting: 1, Unreachable: 1 })
})

test('a node that runs what it is assigned, and has not reported so, gets no other content while the budget is spent twice', () => {
  const retargeted = aNode('a')
    .rolledBackFrom('bad', { to: 'older' })
    .assignedTo('older', { at: noon - 1000 })
  const pool = aPool({ stable: 'older', maxUnavailable: 1 })

  expect(selected(decide(pool.with(retargeted, aNode('x').on('new').notReady()), noon))).toEqual([])
  expect(selected(decide(pool.with(retargeted, aNode('x').on('new')), noon))).toEqual(['a'])
})

test.each(['restart', 'drain'] as const)(
  'no more nodes that somebody cordoned change at once than may be unavailable: %s',
  (disruption) => {
    const cordoned = Array.from({ length: 10 }, (_, i) => aNode(`n${i}`).on('older').cordoned())
    const pool = aPool({ stable: 'older', maxUnavailable: 2, cordoned: 'Change', disruption })
    const touched = (members: readonly NodeView[]) =>
      decide(pool.with(...members), noon).actions.filter(({ kind }) => kind === 'assign' || kind === 'cordon').length

    expect(touched(cordoned)).toBe(2)
    expect(touched([aNode('x').on('new').notReady(), ...cordoned])).toBe(1)
    expect(decide(pool.with(...cordoned), noon).status.conditions[0]?.reason).toBe('RollingOut')
  },
)

test.each([0, '0%'] as const)('a maxUnavailable of %s lets no node become unavailable', (maxUnavailable) => {
  expect(selected(decide(aPool({ stable: 'older', maxUnavailable }).with(...old('a', 'b')), noon))).toEqual([])
})
