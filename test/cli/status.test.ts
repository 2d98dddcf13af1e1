import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CliIo } from '../../src/cli/cli-io.ts'
import { poolDetails } from '../../src/cli/status/pool-details.ts'
import type { PoolStatusView } from '../../src/cli/status/pool-view.ts'
import { renderLine, renderStatus } from '../../src/cli/status/render-status.ts'
import { watchStatus } from '../../src/cli/status/watch-status.ts'
import type { FollowEvent, KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { FakeKube } from '../controller/fake-kube.ts'
import { aStage } from '../controller/stage.ts'
import { aFolder, runCli } from './run-cli.ts'

const rolling: PoolStatusView = {
  name: 'workers',
  status: {
    target: { revision: '3f2c1ab'.padEnd(40, '0'), fingerprint: 'v1:1', author: 'Ada', subject: 'kubelet 1.36.3' },
    wave: { index: 2, count: 3, name: 'early' },
    nodes: { total: 40, current: 12, byPhase: { Current: 12, Applying: 4, Waiting: 23, Failed: 1 } },
    failed: [{ node: 'w7', reason: 'HealthCheckFailed', message: 'kubelet exited 3 times:\u001b[2J unknown flag: --foo' }],
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'RollingOut',
        message: '12 of 40 nodes are current',
        lastTransitionTime: '2026-11-21T08:00:00Z',
      },
    ],
    summary: { revision: '3f2c1ab', wave: '2/3', updated: '12/40' },
  },
}

test('status shows pools, waves, and failing nodes with their errors', () => {
  expect(renderStatus([rolling, { name: 'gpu', status: {} }], { color: false })).toEqual([
    'POOL     REVISION  WAVE  UPDATED  READY    REASON      NODES',
    'gpu                               Unknown',
    'workers  3f2c1ab   2/3   12/40    False    RollingOut  12 Current, 4 Applying, 23 Waiting, 1 Failed',
    '',
    'workers:',
    '  3f2c1ab00000 kubelet 1.36.3 (Ada)',
    '  12 of 40 nodes are current',
    '',
    'FAILED NODE  POOL     REASON             MESSAGE',
    'w7           workers  HealthCheckFailed  kubelet exited 3 times: [2J unknown flag: --foo',
  ])
})

test('status says which pools are paused, and by what, where one is', () => {
  const paused = { ...rolling, name: 'gpu', controls: { paused: '' } }
  const byFleet = { ...rolling, status: { ...rolling.status, observedControls: { fleetPaused: 'cooling' } } }
  expect(renderStatus([paused, byFleet], { color: false }).slice(0, 3)).toEqual([
    'POOL     REVISION  WAVE  UPDATED  READY  PAUSED  REASON      NODES',
    'gpu      3f2c1ab   2/3   12/40    False  Pool    RollingOut  12 Current, 4 Applying, 23 Waiting, 1 Failed',
    'workers  3f2c1ab   2/3   12/40    False  Fleet   RollingOut  12 Current, 4 Applying, 23 Waiting, 1 Failed',
  ])
})

test('status says what to look for when there are no pools', () => {
  expect(renderStatus([], { color: false })).toEqual([
    'There are no pools. Check that a controller runs and has accepted a commit.',
  ])
})

test('status says why there are no pools when no commit was ever accepted', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  stage.startController()
  stage.push('a', { 'fleet.yaml': (aFleet()['fleet.yaml'] ?? '').replace('flags:', 'flagz:') })
  await stage.until('/api/v1/namespaces/default/events', (found) => found.size === 1)
  const text = await runCli(folder, ['status', '--kubeconfig', join(folder, 'kubeconfig')])
  expect(text.code).toBe(1)
  expect(text.stdout).toBe(`There are no pools, because no commit has been accepted yet.

InvalidRepository, at 2026-11-21T08:00:00.000Z:
  commit "aaaaaaaaaaaa" is invalid and was not accepted: fleet.yaml:14:5: unknown field "flagz"; did you mean "flags"?
`)
  const json = await runCli(folder, ['status', '-o', 'json', '--kubeconfig', join(folder, 'kubeconfig')])
  expect(JSON.parse(json.stdout)).toMatchObject({ pools: [], trouble: { reason: 'InvalidRepository' } })
})

test('a change is one line where nothing can be redrawn', () => {
  expect(renderLine(rolling)).toBe(
    'workers: RollingOut; 12 of 40 nodes are current; failed: w7: kubelet exited 3 times: [2J unknown flag: --foo',
  )
})

test('a pool that is stalled says where it stands, and one without a status that it has none', () => {
  const conditions = ['Ready', 'Stalled'].map((type) => ({
    ...{ type: type as 'Ready' | 'Stalled', status: type === 'Ready' ? ('False' as const) : ('True' as const) },
    ...{ reason: 'Paused' as const, message: 'paused; nodes that have started finish', lastTransitionTime: '' },
  }))
  const paused = { name: 'workers', status: { ...rolling.status, failed: [], conditions } }
  expect(renderLine(paused)).toBe('workers: Paused at 3f2c1ab, 12/40 nodes; paused; nodes that have started finish')
  expect(renderLine({ name: 'gpu', status: {} })).toBe('gpu: no status yet')
})

async function watched(
  events: readonly FollowEvent<KubeObject>[],
  { isTTY, rows = 24 }: { isTTY: boolean; rows?: number },
): Promise<string> {
  let shown = ''
  const io: CliIo = {
    stdout: (text) => {
      shown += text
    },
    stderr: () => undefined,
    cwd: '/',
    env: {},
    showsProgress: false,
    isTTY,
    color: false,
    columns: 40,
    rows,
    now: () => Date.UTC(2026, 10, 21, 8),
    exit: () => undefined,
  }
  const kube: KubeApi = Object.assign(new FakeKube(), {
    async *follow<T>(_: string, { project }: { readonly project: (object: KubeObject) => T }): AsyncGenerator<FollowEvent<T>> {
      for (const event of events)
        if (event.type === 'sync') yield { type: 'sync', items: event.items.map(project) }
        else if (event.type === 'upsert') yield { type: 'upsert', item: project(event.item) }
        else yield event
    },
  })
  await watchStatus(io, { kube, path: '/nodepools', signal: new AbortController().signal })
  return shown
}

const object: KubeObject = { metadata: { name: 'workers' }, status: { ...rolling.status, failed: [] } }

test('watching draws over what it drew on a terminal, however its lines were broken', async () => {
  const shown = await watched(
    [
      { type: 'sync', items: [object] },
      { type: 'delete', name: 'workers', namespace: '' },
    ],
    { isTTY: true },
  )
  const [first, second] = shown.split('\u001b[J').slice(1)
  expect(first?.slice(-31)).toBe('12 of 40 nodes are current\n\u001b[9A')
  expect(second).toBe('There are no pools. Check that a controller runs and has accepted a commit.\n')
})

test('watching prints a line only for what changed elsewhere', async () => {
  const shown = await watched(
    [
      { type: 'sync', items: [object] },
      { type: 'upsert', item: object },
    ],
    { isTTY: false },
  )
  expect(shown).toBe('2026-11-21T08:00:00.000Z workers: RollingOut; 12 of 40 nodes are current\n')
})

test('watching shows no more lines than the terminal has', async () => {
  const shown = await watched([{ type: 'sync', items: [object] }], { isTTY: true, rows: 6 })
  expect(shown).toBe(`\u001b[JPOOL     REVISION  WAVE  UPDATED  READY  REASON      NODES
… 5 more lines
`)
})

test('status of one pool repeats nothing of what its row says, which is of two conditions while it rolls back', () => {
  const condition = (type: 'Ready' | 'Reconciling' | 'Stalled', reason: 'RollingBack' | 'RolledBack', message: string) => ({
    ...{ type, status: type === 'Ready' ? ('False' as const) : ('True' as const), reason, message },
    lastTransitionTime: '2026-11-21T08:00:00Z',
  })
  const [why, how] = ['bbbbbbb failed; the pool rolls back to aaaaaaa; push a fix or a revert', '1 of 2 nodes are at aaaaaaa']
  const conditions = [
    condition('Ready', 'RollingBack', `${why}; ${how}`),
    condition('Reconciling', 'RollingBack', how),
    condition('Stalled', 'RolledBack', why),
  ]
  const lines = poolDetails({ name: 'workers', status: { conditions } }, { now: 0, columns: 80, isTTY: false })
  expect(lines.slice(0, 4)).toEqual(['', 'CONDITIONS', '  Reconciling RollingBack: see above', '  Stalled RolledBack: see above'])
})
