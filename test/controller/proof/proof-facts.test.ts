import { expect, test } from 'vitest'
import { projectComplaint, projectProofPod, withComplaint } from '../../../src/controller/proof/proof-facts.ts'
import { isPauseImage } from '../../../src/rollout/proof/image.ts'

const digest = `v1:${'a'.repeat(64)}`

function aPod(status: object, container: object = { image: 'registry.k8s.io/pause:3.10' }) {
  return projectProofPod({
    metadata: {
      name: 'proof-1',
      uid: 'uid-1',
      annotations: {
        'nodewave.io/digest': digest,
        'nodewave.io/assigned-at': '2026-11-21T08:00:00.000Z',
        'nodewave.io/started-at': '2026-11-21T08:01:00.000Z',
      },
    },
    spec: { nodeName: 'n1', containers: [{ name: 'proof', ...container }] },
    status,
  }).pod
}

const about = {
  node: 'n1',
  name: 'proof-1',
  uid: 'uid-1',
  digest,
  assignedAt: Date.UTC(2026, 10, 21, 8),
  startedAt: Date.UTC(2026, 10, 21, 8, 1),
}

test.each([
  ['nothing was heard of yet', { phase: 'Pending' }, { state: 'Pending' }],
  [
    'waits for its sandbox',
    { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] },
    { state: 'Pending', message: 'ContainerCreating' },
  ],
  [
    'cannot get its image',
    { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } }] },
    { state: 'Pending', message: 'ErrImagePull: not found' },
  ],
  ['is called Running before its container runs', { phase: 'Running' }, { state: 'Pending' }],
  ['runs', { phase: 'Running', containerStatuses: [{ state: { running: {} } }] }, { state: 'Running' }],
  [
    'ended well',
    { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }] },
    { state: 'Succeeded' },
  ],
  [
    'ended badly, with the last lines of its log',
    { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 1, reason: 'Error', message: 'no server\n' } } }] },
    { state: 'Failed', message: 'exit code 1: no server' },
  ],
  [
    'was rejected for want of a place',
    { phase: 'Failed', reason: 'OutOfpods', message: 'Pod was rejected' },
    { state: 'Failed', hasNoRoom: true, message: 'OutOfpods: Pod was rejected' },
  ],
  [
    'was rejected because the node is under pressure',
    { phase: 'Failed', reason: 'Evicted', message: 'Pod was rejected: The node had condition: [DiskPressure].' },
    { state: 'Failed', wasEvicted: true, message: 'Evicted: Pod was rejected: The node had condition: [DiskPressure].' },
  ],
])('a pod that %s shows so', (_, status, shown) => {
  expect(aPod(status)).toEqual({ ...about, ...shown })
})

test.each([
  ['a command', { image: 'registry.k8s.io/pause:3.10', command: ['true'] }],
  ['another image', { image: 'example.com/busybox:1' }],
])('a pod that runs %s has to end', (_, container) => {
  expect(aPod({ phase: 'Pending' }, container)).toEqual({ ...about, state: 'Pending', hasToEnd: true })
})

test('the last complaint of a kubelet about the pod stands behind what the pod shows', () => {
  const complaint = (uid: string, second: number, message: string) =>
    projectComplaint({
      metadata: { name: `${uid}.${second}` },
      involvedObject: { uid },
      reason: 'FailedCreatePodSandBox',
      message,
      lastTimestamp: `2026-11-21T08:01:0${second}Z`,
    })
  const all = [complaint('uid-1', 2, 'last'), complaint('uid-1', 1, 'first'), complaint('uid-2', 9, 'of another')]

  expect(withComplaint(aPod({ phase: 'Pending' }), all).message).toBe('FailedCreatePodSandBox: last')
  expect(withComplaint(aPod({ phase: 'Pending', reason: 'A' }), all).message).toBe('A; FailedCreatePodSandBox: last')
  expect(withComplaint(aPod({ phase: 'Pending' }), []).message).toBeUndefined()
})

test('a pod that somebody put another container into has to end when its own does', () => {
  const containers = [
    { name: 'proof', image: 'busybox' },
    { name: 'sidecar', image: 'proxy' },
  ]
  const withSpec = (all: readonly object[]) =>
    projectProofPod({ metadata: { name: 'proof-1' }, spec: { containers: all }, status: {} }).pod

  expect(withSpec(containers).hasToEnd).toBe(true)
  expect(
    withSpec([
      { name: 'proof', image: 'pause' },
      { name: 'sidecar', image: 'proxy' },
    ]).hasToEnd,
  ).toBeUndefined()
  expect(withSpec([]).hasToEnd).toBeUndefined()
})

test('of two complaints of one second the later one stands', () => {
  const complaint = (message: string) =>
    projectComplaint({
      metadata: { name: message },
      involvedObject: { uid: 'uid-1' },
      message,
      lastTimestamp: '2026-11-21T08:01:02Z',
    } as never)

  expect(withComplaint(aPod({ phase: 'Pending' }), [complaint('one'), complaint('other')]).message).toBe('other')
})

test.each([
  'registry.k8s.io/pause:3.10',
  'registry.k8s.io/pause@sha256:7031c1b2',
  'mcr.microsoft.com/oss/kubernetes/pause:3.9',
  '602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/pause:3.10',
  'docker.io/rancher/mirrored-pause:3.6',
  'k8s.gcr.io/pause-amd64:3.1',
  'pause',
])('%s is a pause image', (image) => {
  expect(isPauseImage(image)).toBe(true)
})

test.each(['example.com/pauser:1', 'example.com/pause/app:1', 'busybox', 'example.com/app:pause'])('%s is none', (image) => {
  expect(isPauseImage(image)).toBe(false)
})
