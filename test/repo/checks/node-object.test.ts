import { expect, test } from 'vitest'
import { aDocument, modelOf, problemsOf } from '../fleets.ts'

const pool = (node: string, more = '') =>
  aDocument('NodePool', 'workers', `spec:\n  nodeSelector: {matchLabels: {role: worker}}\n  node: ${node}\n${more}`)

test('labels, annotations and taints of Nodes are taken', () => {
  const node =
    '{labels: {tier: front}, annotations: {example.com/owner: "team a"}, taints: [{key: gpu, value: "1", effect: NoExecute}]}'
  expect(modelOf({ 'p.yaml': pool(node) }).pools.get('workers')?.spec.node).toEqual({
    labels: { tier: 'front' },
    annotations: { 'example.com/owner': 'team a' },
    taints: [{ key: 'gpu', value: '1', effect: 'NoExecute' }],
  })
})

test.each<[string, string, string, string]>([
  ['selects the nodes of a pool', '{labels: {role: other}}', '', 'selects the nodes of pool "workers"'],
  [
    'is in a flag of the kubelet as well',
    '{labels: {tier: front}}',
    '  kubelet: {flags: {node-labels: "a=b,tier=back"}}\n',
    'is in the kubelet flag --node-labels as well',
  ],
  [
    'is in a flag that is a map',
    '{labels: {tier: front}}',
    '  kubelet: {flags: {node-labels: {tier: back}}}\n',
    'is in the kubelet flag --node-labels as well',
  ],
  ['belongs to nodewave', '{labels: {nodewave.io/pool: x}}', '', 'this key belongs to nodewave'],
  [
    'belongs to the CoreOS agent',
    '{annotations: {node-agent.alpha.coreos.com/desired-config: x}}',
    '',
    'this key belongs to nodewave',
  ],
  ['tells nodes apart', '{labels: {kubernetes.io/hostname: front}}', '', 'the kubelet writes this label'],
])('label that %s is refused', (_, node, more, message) => {
  expect(problemsOf({ 'p.yaml': pool(node, more) }).join('\n')).toContain(message)
})

test.each([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/out-of-service',
  'node.cloudprovider.kubernetes.io/uninitialized',
])('taint %s, by which Kubernetes says how a node is, is refused', (key) => {
  const node = `{taints: [{key: ${key}, effect: NoExecute}]}`
  expect(problemsOf({ 'p.yaml': pool(node) }).join('\n')).toContain('Kubernetes sets this taint by itself')
})

test('taint that is there twice is refused', () => {
  const node = '{taints: [{key: a, value: "1", effect: NoSchedule}, {key: a, effect: NoSchedule}]}'
  expect(problemsOf({ 'p.yaml': pool(node) }).join('\n')).toContain('a key and effect are there twice')
})
