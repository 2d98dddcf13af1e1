import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const project = projectNode(namesFor())
const digest = `v1:${'a'.repeat(64)}`

function aNode(annotations: Record<string, string> = {}, more: Partial<KubeObject> = {}): KubeObject {
  return {
    metadata: { name: 'a', resourceVersion: '7', creationTimestamp: '2026-11-21T08:00:00Z', annotations },
    spec: {},
    status: {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T08:01:00Z' }],
      addresses: [
        { type: 'Hostname', address: 'a' },
        { type: 'InternalIP', address: '10.0.0.4' },
      ],
      nodeInfo: { kubeletVersion: 'v1.36.3', architecture: 'arm64', osImage: 'Debian 12' },
      images: [{ names: ['a large list'] }],
    },
    ...more,
  }
}

test('a node is kept as its facts and nothing of the rest', () => {
  const { view, facts, resourceVersion, payloads } = project(aNode())
  expect(view).toEqual({
    name: 'a',
    labels: {},
    zone: '',
    createdAt: Date.UTC(2026, 10, 21, 8, 0),
    ready: true,
    readySince: Date.UTC(2026, 10, 21, 8, 1),
    unschedulable: false,
    kubeletVersion: '1.36.3',
    assignedByHand: false,
  })
  expect(facts).toEqual({ name: 'a', labels: {}, arch: 'arm64', osImage: 'Debian 12', internalIP: '10.0.0.4' })
  expect({ resourceVersion, payloads }).toEqual({ resourceVersion: '7', payloads: [] })
})

test.each([
  ['False', undefined],
  ['Unknown', true],
])('a node whose Ready is %s is silent: %j', (status, silent) => {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: '2026-11-21T08:01:00Z' }]

  expect(project(aNode({}, { status: { conditions } })).view).toMatchObject({ ready: false, silent })
})

test.each([
  ['node.cloudprovider.kubernetes.io/shutdown', true],
  ['node.kubernetes.io/out-of-service', true],
  ['node.kubernetes.io/unreachable', false],
])('a node with the taint %s was shut down: %j', (key, expected) => {
  const { view } = project(aNode({}, { spec: { taints: [{ key, effect: 'NoExecute' }] } }))

  expect(view.shutDown === true).toBe(expected)
})

test('an assignment of ours is read with its grant and time', () => {
  const desired = JSON.stringify({
    DIGEST: digest,
    POOL: 'workers',
    REVISION: '3f2c',
    GRANT: 'drain',
    ASSIGNED: '2026-11-21T09:00:00.250Z',
    KUBELET_CONFIG: 'workers-kubelet-1',
    HOST_CONFIG: 'workers-host-1',
  })
  const node = project(aNode({ 'nodewave.io/desired-config': desired }))
  expect(node.view.assigned).toEqual({
    digest,
    pool: 'workers',
    revision: '3f2c',
    grant: 'drain',
    at: Date.UTC(2026, 10, 21, 9, 0, 0, 250),
    counter: Date.UTC(2026, 10, 21, 9, 0, 0, 250),
  })
  expect(node.view.assignedByHand).toBe(false)
  expect(node.payloads).toEqual(['workers-kubelet-1', 'workers-host-1'])
})

test.each([
  ['three keys of a person', '{"KUBELET_VERSION":"1.36.3","KUBELET_CONFIG":"mine","KUBELET_OPTS":"--v=2"}'],
  ['no JSON', 'kubelet 1.36'],
  ['an empty text', ''],
  ['a list', '[]'],
  ['a malformed value', '{"KUBELET_VERSION":136}'],
])('a node is left alone as assigned by hand when desired-config is %s', (_, desired) => {
  const { view } = project(aNode({ 'nodewave.io/desired-config': desired }))
  expect(view.assignedByHand).toBe(true)
  expect(view.assigned).toBeUndefined()
})

test.each(['{', '[]', 'null', '{"phase":"Dancing","since":"x"}', '\u0000'])('a status that reads %j is no status', (status) => {
  expect(project(aNode({ 'nodewave.io/status': status })).view.status).toBeUndefined()
})

test('a malformed current-config is as good as none', () => {
  const node = project(aNode({ 'nodewave.io/current-config': '{"DIGEST":"sha256:1"}' }))
  expect(node.current).toBeUndefined()
})

test('a node that was never ready counts as not ready since it was made', () => {
  const { view } = project(aNode({}, { status: {} }))
  expect(view.ready).toBe(false)
  expect(view.readySince).toBe(Date.UTC(2026, 10, 21, 8, 0))
})

test('another prefix makes other annotations ours', () => {
  const other = projectNode(namesFor('node-agent.alpha.coreos.com'))
  const node = aNode({ 'nodewave.io/hold': 'not read', 'node-agent.alpha.coreos.com/hold': 'disk is replaced' })
  expect(other(node).view.hold).toBe('disk is replaced')
})

test('a Ready from before the second in which the kubelet was restarted is stale, and a heartbeat alone changes nothing of the view', () => {
  const status = (heartbeat: string) => ({
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T08:01:00Z', lastHeartbeatTime: heartbeat }],
  })
  const report = JSON.stringify({ phase: 'Applied', since: '2026-11-21T09:00:09Z', kubeletStartedAt: '2026-11-21T09:00:05.400Z' })
  const at = (heartbeat: string) => project(aNode({ 'nodewave.io/status': report }, { status: status(heartbeat) })).view

  expect(at('2026-11-21T09:00:04Z').staleReady).toBe(true)
  expect(at('2026-11-21T09:00:05Z').staleReady).toBeUndefined()
  expect(at('2026-11-21T09:05:05Z')).toEqual(at('2026-11-21T09:00:05Z'))
})

test('a node that is being deleted, or under pressure, is shown so', () => {
  const { metadata, ...object } = aNode()
  const conditions = [
    { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T08:01:00Z' },
    { type: 'DiskPressure', status: 'True', lastTransitionTime: '2026-11-21T09:00:00Z' },
    { type: 'MemoryPressure', status: 'False', lastTransitionTime: '2026-11-21T09:00:00Z' },
  ]
  const { view } = project({
    ...object,
    metadata: { ...metadata, deletionTimestamp: '2026-11-21T09:30:00Z' },
    status: { conditions },
  })

  expect(view).toMatchObject({ leaving: true, pressures: [{ type: 'DiskPressure', since: Date.UTC(2026, 10, 21, 9, 0) }] })
})

test('facts stay the same object from version to version while they are the same, and labels are kept once', () => {
  const first = project(aNode())
  const cordoned = project(aNode({}, { spec: { unschedulable: true } }), first)
  expect(cordoned.facts).toBe(first.facts)
  expect(cordoned.view.labels).toBe(first.facts.labels)
  const labelled = { ...aNode(), metadata: { ...aNode().metadata, labels: { rack: 'r1' } } }
  expect(project(labelled, first).facts).toEqual({ ...first.facts, labels: { rack: 'r1' } })
})

test.each([
  [8_192, true],
  [8_193, false],
])('a history of %i characters is kept: %j', (length, isKept) => {
  const text = 'x'.repeat(length)

  expect(project(aNode({ [namesFor().history]: text })).history).toBe(isKept ? text : undefined)
})

const DIGEST = `v1:${'1'.repeat(64)}`

test.each([
  [
    'another Node',
    'elsewhere',
    { status: undefined, assigned: { copiedAt: Date.UTC(2026, 10, 21, 8) }, proof: { state: 'Wanted' } },
  ],
  ['this Node', 'here', { status: { phase: 'Applied' }, assigned: { copiedAt: undefined }, proof: { state: 'Passed' } }],
  [
    'nobody says which',
    undefined,
    { status: { phase: 'Applied' }, assigned: { copiedAt: undefined }, proof: { state: 'Passed' } },
  ],
])('status and proof that were written to %s count accordingly', (_, node, expected) => {
  const stamp = '2026-11-20T08:00:00.000Z'
  const annotations = {
    'nodewave.io/desired-config': JSON.stringify({ DIGEST, POOL: 'workers', ASSIGNED: stamp }),
    'nodewave.io/status': JSON.stringify({ phase: 'Applied', since: stamp, digest: DIGEST, assignedAt: stamp, node }),
    'nodewave.io/proof': JSON.stringify({ state: 'Passed', digest: DIGEST, assignedAt: stamp, node }),
  }
  const metadata = { name: 'n0', uid: 'here', creationTimestamp: '2026-11-21T08:00:00Z', annotations }

  expect(project({ metadata }).view).toMatchObject(expected)
})

const BY_LABEL = { manager: 'kubectl-label', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:tier': {} } } } }

test.each([
  ['nothing', undefined, undefined],
  ['a label', '{"labels":["tier"]}', { taints: [], labels: { tier: 'front' }, annotations: {} }],
  [
    'a label that was repaired',
    '{"labels":["tier"],"repairs":{"label tier":["2026-11-21T08:00:00Z"]}}',
    { taints: [], labels: { tier: 'front' }, annotations: {}, managers: { 'label tier': 'kubectl-label' } },
  ],
])('who changed settings of a node is kept only when they were repaired: the controller wrote %s', (_, written, settings) => {
  const annotations = written === undefined ? {} : { 'nodewave.io/node-settings': written }
  const metadata = { name: 'a', labels: { tier: 'front', role: 'worker' }, annotations, managedFields: [BY_LABEL] }
  expect(project({ metadata }).settings).toStrictEqual(settings && { written, ...settings })
})
