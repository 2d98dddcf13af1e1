import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { BoundedVersions } from '../../../src/controller/metrics/bounded-versions.ts'
import { FLEET_GAUGES } from '../../../src/controller/metrics/fleet-samples.ts'

const node = (poolLabel: string | undefined, view: object = {}) =>
  ({ poolLabel, view: { kubeletVersion: '1.36.2', ...view } }) as ClusterNode

function counted(gauge: string, nodes: readonly ClusterNode[]) {
  const items = new Map(nodes.map((each, index) => [`n${index}`, each]))
  const fleet = {
    nodes: { items },
    pools: { items: new Map([['workers', { name: 'workers', status: {} }]]) },
    revisions: { items: new Map() },
  }
  return FLEET_GAUGES.find(({ name }) => name === `nodewave_${gauge}`)?.samples(fleet as never)
}

const KUBELETS = { pool: 'workers', version: '1.36.2' }

test.each<readonly [what: string, gauge: string, nodes: readonly ClusterNode[], samples: readonly object[]]>([
  ['kubelets of a pool', 'kubelets', [node('workers'), node('workers')], [{ labels: KUBELETS, value: 2 }]],
  ['no kubelet of a node without a pool', 'kubelets', [node(undefined)], []],
  ['no kubelet of a pool that is not there', 'kubelets', [node('other')], []],
  [
    'an agent without a version before one reports',
    'agents',
    [node('workers')],
    [{ labels: { pool: 'workers', version: '' }, value: 1 }],
  ],
  [
    'an agent by its version',
    'agents',
    [node('workers', { status: { agent: '1.2.3' } })],
    [{ labels: { pool: 'workers', version: '1.2.3' }, value: 1 }],
  ],
  [
    'a node with drift',
    'drifted_nodes',
    [node('workers', { status: { drift: ['/etc/a'] } })],
    [{ labels: { pool: 'workers' }, value: 1 }],
  ],
  ['no node without drift', 'drifted_nodes', [node('workers', { status: { drift: [] } }), node('workers')], []],
  [
    'a node to reboot',
    'nodes_to_reboot',
    [node('workers', { status: { reboot: ['x'] } })],
    [{ labels: { pool: 'workers' }, value: 1 }],
  ],
  ['no other node to reboot', 'nodes_to_reboot', [node('workers', { status: {} }), node('workers')], []],
])('a gauge counts %s', (_, gauge, nodes, samples) => {
  expect(counted(gauge, nodes)).toEqual(samples)
})

const DAY = 24 * 60 * 60_000
const of = (...versions: readonly string[]) => versions.map((version) => ({ labels: { pool: 'workers', version }, value: 1 }))
const shown = (samples: readonly { labels: Readonly<Record<string, string>> }[]) => samples.map(({ labels }) => labels.version)
const many = (count: number) => of(...Array.from({ length: count }, (_, index) => `1.0.${index}`))

test('thirty versions are shown at a time, and those that were seen before keep their places', () => {
  const versions = new BoundedVersions()
  expect(shown(versions.bound(many(30), 0))).not.toContain('other')
  expect(shown(versions.bound(of('2.0.0', '1.0.0'), 0))).toEqual(['other', '1.0.0'])
})

test.each([
  ['a day later keeps its place', DAY, 'other'],
  ['more than a day later has lost it', DAY + 1, '2.0.0'],
])('a version that was seen last %s', (_, later, expected) => {
  const versions = new BoundedVersions()
  versions.bound(many(30), 5 * DAY)
  expect(shown(versions.bound(of('2.0.0'), 5 * DAY + later))).toEqual([expected])
})

test.each([
  ['1.36.2+k3s1', '1.36.2+k3s1'],
  ['', ''],
  [`1${'0'.repeat(63)}`, `1${'0'.repeat(63)}`],
  [`1${'0'.repeat(64)}`, 'other'],
  ['v1', 'other'],
  ['1 2', 'other'],
])('the version %j is shown as %j', (version, expected) => {
  expect(shown(new BoundedVersions().bound(of(version), 0))).toEqual([expected])
})
