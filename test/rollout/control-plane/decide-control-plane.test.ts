import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aHost, but, stacked } from './a-control-plane.ts'

const hosts = ['a', 'b', 'c'].map((name) => aHost(name).on('old'))

function pool(name: string, members: readonly NodeView[]): PoolSnapshot {
  return { ...aPool({ stable: 'old', maxUnavailable: '100%' }).with(...members), name }
}

function decided(pools: readonly PoolSnapshot[], controlPlane = stacked(hosts)) {
  return decideFleet({ pools, policy: {}, controls: {}, controlPlane }, noon)
}

test('nodes of the control plane are taken one at a time, whatever maxUnavailable says', () => {
  const workers = ['x', 'y'].map((name) => aNode(name).on('old'))
  const decision = decided([pool('all', [...hosts, ...workers])]).get('all')

  expect(decision && selected(decision).filter((name) => 'abc'.includes(name))).toHaveLength(1)
  expect(decision && selected(decision)).toEqual(expect.arrayContaining(['x', 'y']))
})

test('nodes of the control plane are taken one at a time over all pools', () => {
  const decisions = decided(hosts.map((host) => pool(`pool-${host.name}`, [host])))

  expect([...decisions.values()].map(selected)).toEqual([['a'], [], []])
  expect([...decisions.values()].map((decision) => condition(decision, 'Ready').reason)).toEqual([
    'RollingOut',
    'WaitingForBudget',
    'WaitingForBudget',
  ])
  expect([...decisions.values()].map((decision) => condition(decision, 'Reconciling').message)).toEqual([
    '0 of 1 nodes are at new',
    '0 of 1 nodes are at new; "b" waits: control-plane node "a" is being changed',
    '0 of 1 nodes are at new; "c" waits: control-plane node "a" is being changed',
  ])
})

test('a pool of the control plane waits while another API server is not ready, and other pools go on', () => {
  const sick = but(stacked(hosts), 'kube-apiserver-c', { ready: false })
  const decisions = decided([pool('control-plane', hosts.slice(0, 2)), pool('workers', [aNode('x').on('old')])], sick)
  const [controlPlane, workers] = [...decisions.values()]

  expect(controlPlane && selected(controlPlane)).toEqual([])
  expect(controlPlane && verdict(controlPlane)).toEqual({
    Ready: 'False ControlPlaneUnhealthy',
    Reconciling: 'True ControlPlaneUnhealthy',
    Stalled: 'False ControlPlaneUnhealthy',
  })
  expect(workers && selected(workers)).toEqual(['x'])
})

test('a node that joins the control plane waits for its turn too', () => {
  const decision = decided([pool('control-plane', [...hosts, aHost('d')])], stacked([...hosts, aHost('d')])).get('control-plane')

  expect(decision && selected(decision)).toHaveLength(1)
})

test('a node of the control plane that asks for a greater grant gets it while the others are well, and keeps none of them waiting', () => {
  const asking = aHost('a')
    .assignedTo('new', { at: noon - 1000 })
    .reporting('Blocked', { needs: 'restart', since: noon - 500 })
  const first = {
    ...asking,
    assigned: { digest: 'new', revision: 'new', pool: 'workers', grant: 'none', at: noon - 1000 },
  } as const
  const members = [first, ...hosts.slice(1)]
  const running = { ...aPool({ stable: 'old', since: noon - 2000 }).with(...members), name: 'control-plane' }
  const take = (view: ReturnType<typeof stacked>) => selected(decided([running], view).get('control-plane') ?? expect.fail())

  expect(take(stacked(members))).toEqual(['a'])
  expect(take(but(stacked(members), 'etcd-b', { ready: false }))).toEqual(['b'])
  expect(take(but(but(stacked(members), 'etcd-b', { ready: false }), 'etcd-a', { ready: false }))).toEqual([])
})

/** Assigned before it had the role. */
function waiting(name: string) {
  const at = noon - hour
  return aHost(name)
    .assignedTo('new', { at })
    .reporting('Blocked', { needs: 'drain', since: at + 1000 })
}

test.each<[string, readonly NodeView[], PoolOptions, readonly string[]]>([
  ['one of which is drained', [waiting('a'), waiting('b').drainedFor('new')], { pods: { b: [] } }, ['b']],
  [
    'both of which are drained',
    [waiting('a'), waiting('b')].map((node) => node.drainedFor('new')),
    { pods: { a: [], b: [] } },
    ['a'],
  ],
  ['that need no drain', [waiting('a'), waiting('b')], { drain: { mode: 'Never' } }, ['b']],
])('one of two control-plane nodes gets its greater grant when agents ask for it on two, %s', (_, members, options, taken) => {
  const running = aPool({ stable: 'old', since: noon - 2 * hour, maxUnavailable: '100%', ...options }).with(...members)

  expect(selected(decided([running], stacked([...members, aHost('c')])).get('workers') ?? expect.fail())).toEqual(taken)
})

test('one of two control-plane nodes undoes its change first when the agents of two ask for a greater grant for that', () => {
  const error = { reason: 'HealthCheckFailed', message: 'the kubelet does not start' }
  const members = ['a', 'b'].map((name) =>
    aHost(name)
      .assignedTo('new', { at: noon - minute })
      .reporting('Blocked', { needs: 'drain', error }),
  )
  const options = { stable: 'old', since: noon - hour, maxUnavailable: 2, drain: { mode: 'Never' } } as const
  const decision = decided([aPool(options).with(...members)], stacked([...members, aHost('c')])).get('workers')

  expect(decision && selected(decision)).toEqual(['a'])
})

const broken = aHost('a').rolledBackFrom('bad').notReady()
/** The second is down by itself, and the kubelet of the first says nothing of what runs there. */
const twoDown = [broken, aHost('b').on('old').notReady(), aHost('c').on('old')]

function takenOf(members: readonly NodeView[], view: ReturnType<typeof stacked>, options: PoolOptions = {}) {
  const rolledBack = {
    ...aPool({ head: 'fix', stable: 'old', maxUnavailable: '100%', ...options }).with(...members),
    name: 'control-plane',
  }
  return selected(decided([rolledBack], view).get('control-plane') ?? expect.fail())
}

function unseenOn(view: ReturnType<typeof stacked>, ...names: readonly string[]) {
  return names.reduce(
    (rest, name) => but(but(rest, `etcd-${name}`, { ready: false }), `kube-apiserver-${name}`, { ready: false }),
    view,
  )
}

test('a control-plane node that a rollout has left down is put right though another one is down, and that other is left alone', () => {
  expect(takenOf(twoDown, unseenOn(stacked(twoDown), 'a', 'b'))).toEqual(['a'])
})

test.each<[string, readonly NodeView[], (view: ReturnType<typeof stacked>) => ReturnType<typeof stacked>, PoolOptions]>([
  ['its API server is seen well', twoDown, (view) => unseenOn(view, 'b'), {}],
  [
    'it is Ready',
    [broken.readyAgain(noon), ...twoDown.slice(1)],
    (view) => but(unseenOn(view, 'a', 'b'), 'etcd-c', { ready: false }),
    {},
  ],
  ['it runs what is proven', [aHost('a').on('old').notReady(), ...twoDown.slice(1)], (view) => unseenOn(view, 'a', 'b'), {}],
  ['that takes more than a restart', twoDown, (view) => unseenOn(view, 'a', 'b'), { disruption: 'drain' }],
  ['what is seen may be old', twoDown, (view) => ({ ...unseenOn(view, 'a', 'b'), outdated: 'watch pods: Forbidden' }), {}],
  [
    'another one is being changed',
    [broken, aHost('b').assignedTo('fix'), aHost('c').on('old')],
    (view) => unseenOn(view, 'a', 'b'),
    {},
  ],
])('a control-plane node waits while another one is not well and %s', (_, members, seen, options) => {
  expect(takenOf(members, seen(stacked(members)), options)).toEqual([])
})
