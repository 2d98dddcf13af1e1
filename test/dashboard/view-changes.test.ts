import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FleetView, fleetView, type PoolConclusion } from '../../src/dashboard/fleet-view.ts'
import { withChanges } from '../../src/dashboard/page/fleet.js'
import { changesBetween } from '../../src/dashboard/view-changes.ts'
import { NODE_PHASES } from '../../src/protocol/node-pool.ts'

const pool: PoolConclusion = {
  name: 'workers',
  status: {
    target: { revision: 'a'.repeat(40), fingerprint: 'v1:1', subject: 'kubelet 1.36.3' },
    wave: { index: 2, count: 3, name: 'early' },
    nodes: { total: 4, current: 1, byPhase: { Current: 1 } },
    observedControls: { fleetPaused: 'cooling' },
    conditions: [{ type: 'Ready', status: 'False', reason: 'RollingOut', message: '1 of 4 nodes', lastTransitionTime: '' }],
  },
  waiting: { revision: 'b'.repeat(40), subject: 'next', author: 'Ada' },
  window: 'opens Tue 2026-11-24 22:00 UTC',
  windows: [{ from: '2026-11-24T22:00:00.000Z', to: '2026-11-24T23:00:00.000Z' }],
  waves: ['canary', 'early', 'rest'],
  members: [
    { name: 'n1', phase: 'Current', wave: 0 },
    { name: 'n2', phase: 'Applying', wave: 1 },
    { name: 'n3', phase: 'Waiting', wave: 2 },
    { name: 'n4', phase: 'Joining' },
  ],
}

test('a view has the waves of a pool with the phase of each node', () => {
  expect(fleetView([pool]).pools).toEqual([
    {
      name: 'workers',
      ready: 'False',
      reason: 'RollingOut',
      message: '1 of 4 nodes',
      paused: 'Fleet',
      target: { revision: 'aaaaaaaaaaaa', subject: 'kubelet 1.36.3', author: '' },
      stable: null,
      next: { revision: 'bbbbbbbbbbbb', subject: 'next', author: 'Ada' },
      window: 'opens Tue 2026-11-24 22:00 UTC',
      windows: [{ from: '2026-11-24T22:00:00.000Z', to: '2026-11-24T23:00:00.000Z' }],
      current: 1,
      total: 4,
      failed: [],
      gates: [],
      history: [],
      waves: [
        { name: 'canary', state: 'Done', nodes: ['n1'], phases: ['Current'] },
        { name: 'early', state: 'Open', nodes: ['n2'], phases: ['Applying'] },
        { name: 'rest', state: 'Later', nodes: ['n3'], phases: ['Waiting'] },
        { name: 'others', state: 'Later', nodes: ['n4'], phases: ['Joining'] },
      ],
    },
  ])
})

test('a view has the gates of the newest rollout when a record of an older one is kept', () => {
  const record = { name: 'apps', wave: 'canary', since: '2026-11-21T12:00:00.000Z' }
  const gates = [
    { ...record, revision: 'a', rollout: '2026-11-21T11:00:00.000Z', state: 'Failed' },
    { ...record, revision: 'b', rollout: '2026-11-21T12:00:00.000Z', state: 'Recording' },
  ] as const
  const [view] = fleetView([{ ...pool, status: { ...pool.status, gates } }]).pools

  expect(view?.gates).toEqual([{ name: 'apps', wave: 'canary', state: 'Recording', since: '2026-11-21T12:00:00.000Z' }])
})

test('between rollouts the nodes are shown together', () => {
  const members = pool.members.map(({ name }) => ({ name, phase: 'Current' as const }))
  const [view] = fleetView([{ ...pool, status: {}, members }]).pools
  expect(view?.waves.map(({ name, state }) => [name, state])).toEqual([['all nodes', 'Done']])
})

test('a node that changes its phase is told of alone', () => {
  const after = { ...pool, members: pool.members.with(1, { name: 'n2', phase: 'Soaking', wave: 1 }) }
  const changes = changesBetween(fleetView([pool]), fleetView([after]))
  expect(changes?.changed.map(({ name, waves }) => [name, waves.map(({ changed }) => changed)])).toEqual([
    ['workers', [[], [[0, 'Soaking']], [], []]],
  ])
  expect([changes?.pools, changes?.gone]).toEqual([[], []])
})

test('equal views have no changes', () => {
  expect(changesBetween(fleetView([pool]), fleetView([structuredClone(pool)]))).toBeUndefined()
})

const members = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5'),
    phase: fc.constantFrom(...NODE_PHASES),
    wave: fc.option(fc.nat(2), { nil: undefined }),
  }),
  { selector: ({ name }) => name },
)
const pools = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    status: fc.constantFrom(pool.status, {}),
    waves: fc.constantFrom(['canary', 'rest'], ['all']),
    members,
  }),
  { selector: ({ name }) => name },
)

test('a page that applies the changes shows what a page shows that is opened then', () => {
  fc.assert(
    fc.property(pools, pools, (before, after) => {
      const [from, to]: FleetView[] = [fleetView(before), fleetView(after)]
      const changes = from && to && changesBetween(from, to)
      const sent = changes && JSON.parse(JSON.stringify(changes))
      expect(sent ? withChanges(from as FleetView, sent) : from).toEqual(to)
    }),
  )
})
