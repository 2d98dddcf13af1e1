import { join } from 'node:path'
import { expect, test } from 'vitest'
import { entryOfEvent, logEntries } from '../../src/cli/logs/log-entries.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { aStage } from '../controller/stage.ts'
import { aFolder, runCli } from './run-cli.ts'

const names = namesFor()

function aNode(annotations: Readonly<Record<string, string>> = {}, status: object = {}) {
  return { metadata: { name: 'w-1', annotations }, status }
}

test('the report of an agent has the last lines of the kubelet, each on its own', () => {
  const error = { reason: 'HealthCheckFailed', message: 'kubelet exited 3 times:\nunknown flag: --foo\n\u001b[2Jgone' }
  const report = JSON.stringify({ phase: 'RolledBack', since: '2026-11-21T08:00:02Z', error })
  expect(logEntries(aNode({ [names.status]: report }), { events: [], pools: [], names })).toEqual([
    {
      at: '2026-11-21T08:00:02.000Z',
      source: 'agent',
      reason: 'RolledBack',
      lines: ['HealthCheckFailed: kubelet exited 3 times:', 'unknown flag: --foo', '\\u{1b}[2Jgone'],
    },
  ])
})

test('a pool still has the failure when the agent has gone on', () => {
  const failed = [
    { node: 'w-1', reason: 'HealthCheckFailed', message: 'no' },
    { node: 'w-2', reason: 'HealthCheckFailed', message: 'another node' },
  ]
  expect(logEntries(aNode(), { events: [], pools: [{ name: 'workers', status: { failed } }], names })).toEqual([
    { at: '', source: 'pool/workers', reason: 'HealthCheckFailed', lines: ['no'] },
  ])
})

test('conditions appear when they are no good news', () => {
  const at = { lastTransitionTime: '2026-11-21T08:00:00Z' }
  const conditions = [
    { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.', ...at },
    { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', ...at },
    { type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure', ...at },
  ]
  const found = logEntries(aNode({}, { conditions }), { events: [], pools: [], names })
  expect(found.map(({ at: when, reason, lines }) => [when, reason, ...lines])).toEqual([
    ['2026-11-21T08:00:00.000Z', 'Ready=Unknown', 'NodeStatusUnknown: Kubelet stopped posting node status.'],
    ['2026-11-21T08:00:00.000Z', 'DiskPressure=True', 'KubeletHasDiskPressure'],
  ])
})

test.each([
  [
    'of the kubelet',
    { source: { component: 'kubelet' }, count: 3, firstTimestamp: '2026-11-21T07:00:00Z', lastTimestamp: '2026-11-21T08:00:00Z' },
    { at: '2026-11-21T08:00:00.000Z', source: 'kubelet', count: 3 },
  ],
  [
    'in a series',
    {
      ...{ reportingComponent: 'x', source: {}, eventTime: '2026-11-21T07:00:00.5Z', lastTimestamp: null },
      series: { count: 4, lastObservedTime: '2026-11-21T09:00:00Z' },
    },
    { at: '2026-11-21T09:00:00.000Z', source: 'x', count: 4 },
  ],
  ['that says little', { lastTimestamp: 'yesterday' }, { at: '', source: 'unknown' }],
])('an event %s is an entry', (_, fields, expected) => {
  const entry = entryOfEvent({ metadata: { name: 'e' }, reason: 'Starting', message: 'Starting\u0007 kubelet.\n', ...fields })
  expect(entry).toEqual({ reason: 'Starting', lines: ['Starting\\u{7} kubelet.'], ...expected })
})

test('entries stand in the order of their times, two hundred at most', () => {
  const events = Array.from({ length: 250 }, (_, index) => {
    const at = new Date(Date.UTC(2026, 10, 21) + ((index * 7) % 250) * 1000).toISOString()
    return { at, source: 'kubelet', reason: 'Starting', lines: [] }
  })
  const found = logEntries(aNode(), { events, pools: [], names }).map(({ at }) => at)
  expect([found.length, found[0], found.at(-1)]).toEqual([200, '2026-11-21T00:00:50.000Z', '2026-11-21T00:04:09.000Z'])
})

test('no number of events hides what the agent and the pool report of a failure', () => {
  const at = '2026-11-21T12:00:00.000Z'
  const events = Array.from({ length: 250 }, () => ({ at, source: 'kubelet', reason: 'Starting', lines: [] }))
  const error = { reason: 'HealthCheckFailed', message: 'unknown flag: --foo' }
  const report = JSON.stringify({ phase: 'RolledBack', since: '2026-11-21T08:00:02Z', error })
  const failed = [{ node: 'w-1', reason: 'HealthCheckFailed', message: 'no' }]
  const pools = [{ name: 'workers', status: { failed } }]
  const found = logEntries(aNode({ [names.status]: report }), { events, pools, names })
  expect(found.map(({ source }) => source).filter((source) => source !== 'kubelet')).toEqual(['pool/workers', 'agent'])
  expect(found).toHaveLength(202)
})

test('logs shows what was reported of one node', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.addNodes(2)
  const run = (...args: string[]) => runCli(folder, ['logs', ...args, '--kubeconfig', join(folder, 'kubeconfig')])
  const { stdout, stderr, code } = await run('n1')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe('nothing is reported of "n1"; look at the host: journalctl -u nodewave-agent -u kubelet\n')
  const event = (name: string, node: string) => ({
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'default' } },
    ...{ involvedObject: { kind: 'Node', name: node }, reason: 'Starting', message: `Starting kubelet of ${node}.` },
    ...{ type: 'Normal', source: { component: 'kubelet' }, lastTimestamp: '2026-11-21T07:00:00Z' },
  })
  for (const node of ['n0', 'n1']) await stage.kube.create('/api/v1/namespaces/default/events', event(`of-${node}`, node))
  expect((await run('n1')).stdout).toBe('2026-11-21T07:00:00.000Z kubelet Starting: Starting kubelet of n1.\n')
  expect((await run('n1', '-o', 'jsonpath={.entries[*].reason}')).stdout).toBe('Starting')
  const untimed = { ...event('untimed', 'n0'), message: 'gone on', lastTimestamp: null }
  await stage.kube.create('/api/v1/namespaces/default/events', untimed)
  expect((await run('n0')).stdout).toBe(
    'kubelet Starting: gone on\n2026-11-21T07:00:00.000Z kubelet Starting: Starting kubelet of n0.\n',
  )
  expect((await run('n9')).stderr).toBe('error: unknown node "n9"; did you mean "n0"?\n')
})
