import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition } from '../builders/decisions.ts'
import { hour, noon } from '../builders/instants.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { aHost } from './a-control-plane.ts'

/** Drained for it, it applied what took it down. */
const ruined = aHost('g0')
  .on('old')
  .drainedFor('ruin', { at: noon - 2 * hour })
  .assignedTo('ruin', { at: noon - 2 * hour })
  .reporting('Applied', { since: noon - 2 * hour })
  .notReady(noon - 2 * hour)

function pool(name: string, nodes: readonly NodeView[], options: PoolOptions = {}): PoolSnapshot {
  return { ...aPool({ head: 'fix', ...options }).with(...nodes), name }
}

/** Its rollout bore the failure of the one, and the fix is not for it yet. */
function dependent(options: PoolOptions): PoolSnapshot {
  return pool('gpu', [ruined, aHost('g1').on('old')], { ...options, maxFailures: 1, dependsOn: ['base'] })
}

const base = pool('base', [aHost('b0').on('old')], { stable: 'old' })

function decided(...pools: readonly PoolSnapshot[]) {
  const nodes = pools.flatMap((each) => each.nodes)
  return decideFleet({ pools, policy: {}, controls: {}, controlPlane: { nodes, instances: [], answers: [] } }, noon)
}

function waitOf(name: string, ...pools: readonly PoolSnapshot[]) {
  const decision = decided(...pools).get(name)
  const { reason, message } = decision ? condition(decision, 'Ready') : expect.fail()
  return `${reason}: ${message}`
}

const completed = aRollout('old', { result: 'Completed', startedAt: noon - 5 * hour })
const running = aRollout('ruin', { startedAt: noon - 3 * hour })

test('a pool names the control-plane node that it waits for, and how to roll back its pool, which waits for this one', () => {
  expect(waitOf('base', base, dependent({ stable: 'old', history: [running, completed] }))).toBe(
    'ControlPlaneUnhealthy: 0 of 1 nodes are at fix; "b0" waits: control-plane node "g0" is not Ready; ' +
      'repair "g0" of "gpu", which waits for this pool, or nodewave rollback gpu',
  )
})

test('a pool does not propose a rollback when the pool of the node that it waits for has completed nothing', () => {
  expect(waitOf('base', base, dependent({ history: [running] }))).toBe(
    'ControlPlaneUnhealthy: 0 of 1 nodes are at fix; "b0" waits: control-plane node "g0" is not Ready; ' +
      'repair "g0" of "gpu", which waits for this pool',
  )
})

test('a rollback repairs the control-plane node that another pool waits for', () => {
  const gpu = { ...dependent({ stable: 'old', history: [running, completed] }), controls: { rollback: '' } }

  expect([...decided(base, gpu).values()].flatMap(assignments)).toEqual(['g0 → old'])
})

test('a control-plane node that comes back by itself is named without a remedy', () => {
  const working = pool(
    'gpu',
    [
      aHost('g0')
        .on('old')
        .assignedTo('fix', { at: noon - 1000 }),
    ],
    { stable: 'old', since: noon - hour },
  )

  expect(waitOf('base', base, working)).toBe(
    'WaitingForBudget: 0 of 1 nodes are at fix; "b0" waits: control-plane node "g0" is being changed',
  )
})

test('a control-plane node of no pool that a change left not Ready is named with what helps', () => {
  const nodes = [...base.nodes, ruined]
  const fleet = { pools: [base], strays: [ruined], controlPlane: { nodes, instances: [], answers: [] } }
  const decision = decideFleet({ ...fleet, policy: {}, controls: {} }, noon).get('base')

  expect(decision && condition(decision, 'Ready').message).toBe(
    '0 of 1 nodes are at fix; "b0" waits: control-plane node "g0" is not Ready; repair "g0" of no pool',
  )
})

test('a node that left its pool while a pod was to prove it keeps no other control-plane node from being changed', () => {
  const left = aHost('g0').on('old').noting('Wanted')
  const controlPlane = { nodes: [...base.nodes, left], instances: [], answers: [] }
  const decisions = decideFleet({ pools: [base], strays: [left], controlPlane, policy: {}, controls: {} }, noon)

  expect([...decisions.values()].flatMap(assignments)).toEqual(['b0 → fix'])
})
