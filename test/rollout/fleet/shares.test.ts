import { expect, test } from 'vitest'
import { decideFleet, type FleetPolicy, type FleetSnapshot } from '../../../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition, remembering, selected } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const cap = (count: number): FleetPolicy => ({ maxUnavailable: { count } })

function pool(name: string, members: readonly NodeDraft[], options: PoolOptions = {}): PoolSnapshot {
  return { ...aPool({ stable: 'old', since: noon - hour, ...options }).with(...members), name }
}

function old(name: string, count: number): NodeDraft[] {
  return Array.from({ length: count }, (_, i) => aNode(`${name}-${i}`).on('old'))
}

function atWork(name: string, count: number): NodeDraft[] {
  return Array.from({ length: count }, (_, i) =>
    aNode(`${name}-work-${i}`)
      .on('old')
      .assignedTo('new', { at: noon - minute }),
  )
}

function counts(pools: readonly PoolSnapshot[], policy: FleetPolicy, more: Partial<FleetSnapshot> = {}): Record<string, number> {
  const decisions = decideFleet({ pools, policy, controls: {}, ...more }, noon)
  return Object.fromEntries([...decisions].map(([name, decision]) => [name, selected(decision).length]))
}

/** Everything was on `new`, which has failed: the pool goes back to `old`. */
function goingBack(name: string, count: number): PoolSnapshot {
  const history = [
    aRollout('old', { startedAt: noon - minute }),
    aRollout('new', { result: 'RolledBack', startedAt: noon - hour }),
  ]
  return pool(
    name,
    nodes(...Array.from({ length: count }, (_, i) => `${name}-${i}`)).map((node) => node.on('new')),
    {
      rejected: ['new'],
      history,
    },
  )
}

test('a pool that goes back after a failure gets the next place in the budget before a pool that goes forward', () => {
  const forward = pool('a', [...old('a', 46), ...atWork('a', 4)])

  expect(counts([forward, goingBack('z', 20)], cap(5))).toEqual({ a: 0, z: 1 })
})

test('a rollback that an operator asked for gets the next place before a pool that goes forward', () => {
  const forward = pool('a', [...old('a', 46), ...atWork('a', 4)])
  const history = [aRollout('new', { result: 'Completed', startedAt: noon - hour }), aRollout('old', { result: 'Completed' })]
  const members = nodes('z-0', 'z-1').map((node) => node.on('new'))
  const asked = pool('z', members, { history, controls: { rollback: 'old' } })

  expect(counts([forward, asked], cap(5))).toEqual({ a: 0, z: 1 })
})

test('a broken node gets a place before nodes of pools that go back or forward', () => {
  const broken = aNode('z-broken').rolledBackFrom('bad', { to: 'old' })
  const repair = pool('z', [...old('z', 3), broken], { head: 'fix' })
  const decisions = decideFleet(
    { pools: [pool('a', old('a', 3)), goingBack('b', 3), repair], policy: cap(1), controls: {} },
    noon,
  )

  expect([...decisions.values()].flatMap(assignments)).toEqual(['z-broken → fix'])
})

test('two pools that go forward share the budget, whatever their names', () => {
  expect(counts([pool('a', old('a', 9)), pool('z', old('z', 9))], cap(4))).toEqual({ a: 2, z: 2 })
  expect(counts([pool('a', [...old('a', 9), ...atWork('a', 3)]), pool('z', old('z', 9))], cap(4))).toEqual({ a: 0, z: 1 })
})

test.each([
  ['that waits since its rollout began', old('z', 9)],
  ['that was served before in its rollout', [aNode('z-done').on('new', { at: noon - 10 * minute }), ...old('z', 9)]],
])('a pool that gets one commit after the other leaves the next place to a pool %s', (_, members) => {
  const served = aNode('a-done').on('new', { at: noon - minute })
  const often = pool('a', [served, ...old('a', 9)], { head: 'newest', since: noon })

  expect(counts([often, pool('z', members)], cap(1))).toEqual({ a: 0, z: 1 })
})

/** Passes until every pool has completed; a node is done in the pass after the one that assigned it. */
function order(pools: readonly PoolSnapshot[], budget: number): string[] {
  const served: string[] = []
  let current = pools
  for (let now = noon; now < noon + hour; now += minute / 2) {
    const decisions = decideFleet({ pools: current, policy: cap(budget), controls: {} }, now)
    for (const [name, decision] of decisions) served.push(...selected(decision).map(() => name))
    current = current.map((each) => {
      const decision = decisions.get(each.name)
      if (!decision) throw new Error('no decision')
      const taken = new Set(selected(decision))
      const members = each.nodes.map((node) =>
        taken.has(node.name) ? (node as NodeDraft).on('new', { at: now, since: now }) : node,
      )
      return { ...remembering(each, decision), nodes: members }
    })
  }
  return served
}

test('with a budget of one node every pool is served in turn', () => {
  const pools = [pool('a', old('a', 5)), pool('b', old('b', 3)), pool('c', old('c', 1))]

  expect(order(pools, 1).join('')).toBe('abcababaa')
})

test('nodes that join one pool do not put off its turn', () => {
  const history = [
    aRollout('old', { startedAt: noon - hour }),
    aRollout('new', { result: 'RolledBack', startedAt: noon - 2 * hour }),
  ]
  const back = (name: string, served: number, ...more: NodeDraft[]) => {
    const waiting = nodes(`${name}-0`, `${name}-1`).map((node) => node.on('new'))
    return pool(name, [...waiting, aNode(`${name}-done`).on('old', { at: served }), ...more], { rejected: ['new'], history })
  }
  const joined = aNode('a-joined')
    .createdAtInstant(noon - 2 * minute)
    .on('old', { at: noon - minute })

  expect(counts([back('a', noon - 30 * minute, joined), back('b', noon - 20 * minute)], cap(1))).toEqual({ a: 1, b: 0 })
})

test('a node that left its pool while it was at work, or that is down since, counts in the budget of the fleet', () => {
  const a = pool('a', old('a', 3))
  const busy = aNode('x')
    .on('old')
    .assignedTo('new', { at: noon - minute })
  const strays = (...left: NodeDraft[]) => counts([a], cap(1), { strays: left })

  expect(strays(busy)).toEqual({ a: 0 })
  expect(strays(aNode('x').on('old').notReady())).toEqual({ a: 0 })
  expect(strays(aNode('x').on('old').drainedFor('new'))).toEqual({ a: 0 })
  expect(strays(aNode('x').assignedTo('new').reporting('Failed'))).toEqual({ a: 0 })
  expect(strays(aNode('x').on('new').noting('Failed'))).toEqual({ a: 0 })
})

test('nodes without a pool that nodewave never managed, or that somebody else cordoned, do not count', () => {
  const strays = [aNode('x').notReady(), aNode('y').cordoned(), aNode('z').on('old').cordoned()]

  expect(counts([pool('a', old('a', 3))], cap(1), { strays })).toEqual({ a: 1 })
})

function waiting(pools: readonly PoolSnapshot[], more: Partial<FleetSnapshot> = {}): string {
  const decision = decideFleet({ pools, policy: cap(1), controls: {}, ...more }, noon).get('a')
  if (!decision) throw new Error('no decision')
  return condition(decision, 'Reconciling').message
}

test('a pool that waits for the budget of the fleet is told which nodes have it, of which pool, and what helps', () => {
  const down = pool('b', [aNode('b-0').on('old').notReady()], { head: 'old', since: noon - hour })

  expect(waiting([pool('a', old('a', 1)), down])).toBe(
    '0 of 1 nodes are at new; 1 wait for the budget; the fleet\'s budget is used up by "b-0" of "b": repair them, or raise maxUnavailable of the Fleet',
  )
  expect(waiting([pool('a', old('a', 1))], { strays: [aNode('x').on('old').notReady()] })).toBe(
    '0 of 1 nodes are at new; 1 wait for the budget; the fleet\'s budget is used up by "x" of no pool: repair them, or raise maxUnavailable of the Fleet',
  )
})

test('a pool that waits behind the work of others is told which pools share the budget', () => {
  expect(waiting([pool('a', old('a', 1)), pool('b', atWork('b', 1))])).toBe(
    '0 of 1 nodes are at new; 1 wait for the budget; the fleet\'s budget is shared with "b"',
  )
})
