import { expect, test } from 'vitest'
import { projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { FLEET_GAUGES } from '../../../src/controller/metrics/fleet-samples.ts'

test('a pool shows how many seconds its last ended rollout took, with its result', () => {
  const history = [
    { revision: 'c', fingerprint: '3', startedAt: '2026-11-21T09:00:00.000Z', result: 'Running' },
    {
      revision: 'b',
      fingerprint: '2',
      startedAt: '2026-11-21T08:00:00.000Z',
      endedAt: '2026-11-21T08:12:30.000Z',
      result: 'Halted',
    },
    {
      revision: 'a',
      fingerprint: '1',
      startedAt: '2026-11-21T07:00:00.000Z',
      endedAt: '2026-11-21T07:10:00.000Z',
      result: 'Completed',
    },
  ]
  const pool = projectNodePool({ metadata: { name: 'workers' }, status: { history } })
  const fleet = { nodes: { items: new Map() }, pools: { items: new Map([['workers', pool]]) }, revisions: { items: new Map() } }
  const gauge = FLEET_GAUGES.find(({ name }) => name === 'nodewave_rollout_duration_seconds')

  expect(gauge?.samples(fleet)).toEqual([{ labels: { pool: 'workers', result: 'Halted' }, value: 750 }])
})

test.each([
  ['nobody paused', {}, 0],
  ['somebody paused', { paused: '' }, 1],
  ['whose fleet somebody paused', { fleetPaused: 'storm' }, 1],
])('a pool (%s) shows in its gauge whether it is paused', (_, observedControls, value) => {
  const pool = projectNodePool({ metadata: { name: 'workers' }, status: { observedControls } })
  const fleet = { nodes: { items: new Map() }, pools: { items: new Map([['workers', pool]]) }, revisions: { items: new Map() } }

  expect(FLEET_GAUGES.find(({ name }) => name === 'nodewave_pool_paused')?.samples(fleet)).toEqual([
    { labels: { pool: 'workers' }, value },
  ])
})
