import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { condition, selected } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))
const waves = [aWave('canary', 1)]
const lastWave = { stable: 'older', since: noon - 5 * minute, waves, wave: { index: 2, count: 2, name: 'rest' } }
const done = aNode('a').on('new', { at: noon - 4 * minute })
const blinking = (...names: string[]) => old(...names).map((node) => node.notReady(noon - 5_000))

test('no more nodes that are down for a moment change at once than may be unavailable', () => {
  const pool = aPool({ ...lastWave, maxUnavailable: 2 }).with(done, ...blinking('b', 'c', 'd', 'e'))

  expect(selected(decide(pool, noon))).toHaveLength(2)
})

test('nodes that are down for a moment wait while others hold the budget, and the pool says who', () => {
  const pool = aPool({ ...lastWave, maxUnavailable: 1 }).with(done.notReady(noon - minute), ...blinking('b', 'c'))
  const decision = decide(pool, noon)

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Ready')).toMatchObject({
    reason: 'WaitingForBudget',
    message: expect.stringContaining('2 wait for the budget; used up by "a" (not Ready) and 2 more'),
  })
})

test('nodes that are down for as long as work may take are changed whatever the budget, and a pass is due then', () => {
  const pool = aPool({ ...lastWave, maxUnavailable: 1, since: noon - 30 * minute }).with(
    done.notReady(noon - minute),
    ...old('b', 'c').map((node) => node.notReady(noon - 14 * minute)),
  )

  expect(selected(decide(pool, noon))).toEqual([])
  expect(decide(pool, noon).wakeAt).toBe(noon + minute)
  expect(selected(decide(pool, noon + minute)).toSorted()).toEqual(['b', 'c'])
})

test('no more nodes that were restored, and are not Ready for less than a minute, change at once than may be unavailable', () => {
  const restored = nodes('b', 'c', 'd').map((node) => node.rolledBackFrom('bad', { at: noon - 9 * minute }))
  const decisionAt = (since: number) =>
    decide(aPool({ ...lastWave, maxUnavailable: 1 }).with(done, ...restored.map((node) => node.notReady(since))), noon)

  expect(selected(decisionAt(noon - minute + 1))).toHaveLength(1)
  expect(decisionAt(noon - minute + 1).wakeAt).toBe(noon + 1)
  expect(selected(decisionAt(noon - minute))).toHaveLength(3)
})

test('what a rollout left down with its state put back is repaired whatever the budget', () => {
  const broken = nodes('b', 'c').map((node) => node.rolledBackFrom('bad', { at: noon - 9 * minute }).notReady(noon - minute))
  const pool = aPool({ ...lastWave, maxUnavailable: 1 }).with(done, ...broken)

  expect(selected(decide(pool, noon)).toSorted()).toEqual(['b', 'c'])
})

function fleetOf(members: Readonly<Record<string, readonly NodeDraft[]>>, count: number) {
  const pools = Object.entries(members).map(([name, own]) => ({
    ...aPool({ stable: 'older', cordoned: 'Change', since: noon - minute }).with(...own),
    name,
  }))
  return decideFleet({ pools, policy: { maxUnavailable: { count } }, controls: {} }, noon)
}

test('nodes that somebody cordoned spend the budget of the Fleet when they change', () => {
  const cordoned = (name: string) => [aNode(name).on('older').cordoned()]
  const decisions = fleetOf({ a: cordoned('a-0'), b: cordoned('b-0'), c: cordoned('c-0') }, 1)

  expect([...decisions.values()].flatMap(selected)).toEqual(['a-0'])
  const waiting = decisions.get('b')
  expect(waiting && condition(waiting, 'Ready').reason).toBe('WaitingForBudget')
})

test('nodes of two pools that are down for a moment do not change at once beyond the budget of the Fleet', () => {
  const decisions = fleetOf({ a: blinking('a-0', 'a-1'), b: blinking('b-0', 'b-1') }, 2)

  expect([...decisions.values()].flatMap(selected)).toHaveLength(2)
})

test('a node that runs what it is assigned, and has not reported so, gets no other content while the budget of the Fleet is overdrawn', () => {
  const retargeted = (name: string) =>
    aNode(name)
      .rolledBackFrom('bad', { to: 'older' })
      .assignedTo('older', { at: noon - 1000 })
  const total = (members: Parameters<typeof fleetOf>[0]) => [...fleetOf(members, 1).values()].flatMap(selected)
  const down = aNode('b-0').on('new').notReady()

  expect(total({ a: [retargeted('a-0')], b: [down] })).toEqual([])
  expect(total({ a: [retargeted('a-0')], b: [aNode('b-0').on('new')] })).toEqual(['a-0'])
  expect(total({ a: [retargeted('a-0')], b: [retargeted('b-0')] })).toEqual(['a-0'])
})

const unreported = (name: string) =>
  aNode(name)
    .rolledBackFrom('bad', { to: 'older' })
    .assignedTo('older', { at: noon - 1000 })

test.each([
  ['somebody cordoned', aNode('b').on('older').cordoned(), []],
  [
    'is down for a moment',
    aNode('b')
      .on('older')
      .notReady(noon - 5_000),
    ['b'],
  ],
] as const)('a node that runs what it is assigned serves, and gets no other content beside one that %s', (_, other, expected) => {
  const pool = aPool({ stable: 'older', since: noon - 2_000, maxUnavailable: 1 }).with(unreported('a'), other)

  expect(selected(decide(pool, noon))).toEqual(expected)
})

test('a node that runs what it is assigned gets another content while it alone counts as unavailable', () => {
  const pool = aPool({ stable: 'older', since: noon - 2_000, maxUnavailable: 1 }).with(unreported('a'), ...old('b'))

  expect(selected(decide(pool, noon))).toEqual(['a'])
})

test('a Fleet that allows no node to be unavailable says so', () => {
  const decision = fleetOf({ a: old('a-0') }, 0).get('a')

  expect(decision && condition(decision, 'Ready').message).toBe(
    '0 of 1 nodes are at new; 1 wait for the budget; maxUnavailable of the Fleet allows none: raise it',
  )
})
