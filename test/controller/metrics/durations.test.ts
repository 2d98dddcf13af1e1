import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { projectConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { DurationRecorder } from '../../../src/controller/metrics/durations.ts'
import { prometheusTelemetry } from '../../../src/controller/metrics/prometheus-telemetry.ts'
import type { FleetSource } from '../../../src/controller/metrics/telemetry.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { aFleet } from '../a-fleet.ts'
import { NO_CONCLUSIONS } from '../no-conclusions.ts'
import { aStage } from '../stage.ts'

const at = (time: string) => `2026-11-22T${time}:00Z`
const instant = (time: string) => Date.parse(at(time))

const DIGEST = `v1:${'d'.repeat(64)}`

/** Assigned at 9:00, and its agent has reported at the given time. */
function aNode(phase: string, since: string, assigned = at('09:00')) {
  const config = { DIGEST, POOL: 'workers', REVISION: 'a', ASSIGNED: assigned }
  const status = { phase, digest: DIGEST, since, assignedAt: assigned }
  const annotations = { 'nodewave.io/desired-config': JSON.stringify(config), 'nodewave.io/status': JSON.stringify(status) }
  return projectNode(namesFor())({ metadata: { name: 'n1', annotations } })
}

type Run = NodePoolStatus['history'][number]

function aRun(revision: string, startedAt: string, more: Partial<Run> = {}): Run {
  return { revision, fingerprint: 'f', startedAt: at(startedAt), result: 'Running', ...more }
}

interface Parts {
  readonly node?: ReturnType<typeof aNode>
  /** Newest first. */
  readonly history?: readonly Run[]
  readonly rollback?: string
  readonly committed?: string
  readonly pool?: string
}

function aFleetOf({ node, history = [], rollback, committed = at('08:30'), pool = 'workers' }: Parts): FleetSource {
  const view = projectNodePool({ metadata: { name: pool } })
  const to = { revision: rollback ?? '', fingerprint: 'f' }
  const status = { ...view.status, history, ...(rollback !== undefined && { rollback: { to, from: to, at: at('09:00') } }) }
  const annotations = { 'nodewave.io/revision': 'a', 'nodewave.io/committed-at': String(Date.parse(committed)) }
  const part = projectConfigMap({ metadata: { name: 'fleet-a-0', annotations } })
  return {
    nodes: { items: new Map(node ? [['n1', node]] : []) },
    pools: { items: new Map([[pool, { ...view, status }]]) },
    revisions: { items: new Map([['fleet-a-0', part]]) },
  }
}

const NOTHING = { nodes: [], rollouts: [], commits: [] }
const completed = aRun('a', '09:00', { result: 'Completed', endedAt: at('09:20') })

test('a node that applied what it was assigned is told once', () => {
  const recorder = new DurationRecorder(instant('08:00'))
  expect(recorder.observe(aFleetOf({ node: aNode('Applying', at('09:01')) }), instant('09:02'))).toEqual(NOTHING)
  const applied = aFleetOf({ node: aNode('Applied', at('09:03')) })
  const labels = { pool: 'workers', result: 'Applied' }
  expect(recorder.observe(applied, instant('09:05')).nodes).toEqual([{ labels, value: 180 }])
  expect(recorder.observe(applied, instant('09:06'))).toEqual(NOTHING)
  const again = aFleetOf({ node: aNode('RolledBack', at('10:01'), at('10:00')) })
  expect(recorder.observe(again, instant('10:05')).nodes).toEqual([
    { labels: { pool: 'workers', result: 'RolledBack' }, value: 60 },
  ])
})

test.each([
  ['of a pool that is gone', { node: aNode('Applied', at('09:03')), pool: 'others' }],
  ['that ended before this controller led', { node: aNode('Applied', at('08:59'), at('08:55')) }],
  ['that reports another assignment', { node: aNode('Applied', at('09:03'), 'soon') }],
])('a node %s is not told', (_, parts) => {
  expect(new DurationRecorder(instant('09:00')).observe(aFleetOf(parts), instant('09:30'))).toEqual(NOTHING)
})

test('a node that ended in the instant in which this controller began to lead is told', () => {
  const fleet = aFleetOf({ node: aNode('Applied', at('09:00'), at('08:55')) })
  const { nodes } = new DurationRecorder(instant('09:00')).observe(fleet, instant('09:30'))
  expect(nodes.map(({ value }) => value)).toEqual([300])
})

test('a node whose clock is ahead applied at the latest now', () => {
  const fleet = aFleetOf({ node: aNode('Applied', at('23:00')) })
  const { nodes } = new DurationRecorder(instant('09:00')).observe(fleet, instant('09:01'))
  expect(nodes.map(({ value }) => value)).toEqual([60])
})

test('a rollout that ended is told once, with the time since its commit', () => {
  const recorder = new DurationRecorder(instant('09:00'))
  expect(recorder.observe(aFleetOf({ history: [aRun('a', '09:00')] }), instant('09:10'))).toEqual(NOTHING)
  const fleet = aFleetOf({ history: [completed] })
  expect(recorder.observe(fleet, instant('09:30'))).toEqual({
    nodes: [],
    rollouts: [{ labels: { pool: 'workers', result: 'Completed' }, value: 1200 }],
    commits: [{ labels: { pool: 'workers' }, value: 3000 }],
  })
  expect(recorder.observe(fleet, instant('09:31'))).toEqual(NOTHING)
})

test('a rollout that ended in the instant in which this controller began to lead is told', () => {
  const { rollouts } = new DurationRecorder(instant('09:20')).observe(aFleetOf({ history: [completed] }), instant('09:21'))
  expect(rollouts).toEqual([{ labels: { pool: 'workers', result: 'Completed' }, value: 1200 }])
})

test('a rollout that ended before this controller led is not told', () => {
  expect(new DurationRecorder(instant('09:21')).observe(aFleetOf({ history: [completed] }), instant('09:30'))).toEqual(NOTHING)
})

test.each<[string, Parts, number]>([
  ['halted', { history: [{ ...completed, result: 'Halted' }] }, 1],
  ['was completed before', { history: [completed, aRun('a', '08:00', { result: 'Completed', endedAt: at('08:10') })] }, 1],
  ['is the target of a rollback that a person asked for', { history: [completed], rollback: 'a' }, 1],
  ['is no longer kept', { history: [{ ...completed, revision: 'b' }] }, 1],
  ['has no time that can be read', { history: [completed], committed: 'never' }, 1],
])('a commit that %s has no lag', (_, parts, rollouts) => {
  const ended = new DurationRecorder(instant('09:00')).observe(aFleetOf(parts), instant('09:30'))
  expect(ended.commits).toEqual([])
  expect(ended.rollouts).toHaveLength(rollouts)
})

test('a commit from the future has a lag of nothing', () => {
  const fleet = aFleetOf({ history: [completed], committed: at('12:00') })
  expect(new DurationRecorder(instant('09:00')).observe(fleet, instant('09:30')).commits).toEqual([
    { labels: { pool: 'workers' }, value: 0 },
  ])
})

test('a controller that leads puts a rollout of its fleet into histograms, however often it is asked', async () => {
  await using stage = await aStage()
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => 0, now: () => stage.clock.now() })
  await stage.addNodes(3)
  stage.startController({ telemetry })
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed('a'.repeat(40))

  await telemetry.exposed()
  const { text } = await telemetry.exposed()
  const counts = text.split('\n').filter((line) => /^nodewave_(node_apply|rollout|commit_lag)_seconds_count/.test(line))
  expect(counts).toEqual([
    'nodewave_node_apply_seconds_count{pool="workers",result="Applied"} 3',
    'nodewave_rollout_seconds_count{pool="workers",result="Completed"} 1',
    'nodewave_commit_lag_seconds_count{pool="workers"} 1',
  ])
})

test('histograms of a pool begin with zero, so that its first rollout shows as an increase', async () => {
  let now = instant('09:00')
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => 0, now: () => now })
  const count = async () =>
    (await telemetry.exposed()).text.split('\n').filter((line) => line.startsWith('nodewave_rollout_seconds_count'))
  const fleet = aFleetOf({ history: [aRun('a', '09:00')] })
  telemetry.synced(fleet)
  telemetry.leads(NO_CONCLUSIONS)
  expect(await count()).toEqual(['nodewave_rollout_seconds_count{pool="workers",result="Completed"} 0'])
  telemetry.synced(aFleetOf({ history: [completed] }))
  expect(await count()).toEqual(['nodewave_rollout_seconds_count{pool="workers",result="Completed"} 1'])
  now = instant('09:30')
  telemetry.leads()
  telemetry.leads(NO_CONCLUSIONS)
  expect(await count()).toEqual(['nodewave_rollout_seconds_count{pool="workers",result="Completed"} 1'])
})
