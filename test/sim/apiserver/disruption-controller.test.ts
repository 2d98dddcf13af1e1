import { afterAll, beforeEach, expect, test } from 'vitest'
import { startApiServer } from '../../../src/sim/apiserver/start-api-server.ts'

const server = await startApiServer({ now: () => Date.parse('2030-01-01T00:00:00Z') })
afterAll(() => server.close())

const POLICY = 'poddisruptionbudgets.policy'

beforeEach(() => {
  for (const collection of ['pods', 'replicasets.apps', POLICY])
    for (const { metadata } of server.store.list(collection)) server.store.remove(collection, `default/${metadata.name}`)
})

function pod(name: string, { ready = true, owner }: { ready?: boolean; owner?: string } = {}) {
  server.store.put('pods', {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      labels: { app: 'a' },
      ...(owner
        ? { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }] }
        : {}),
    },
    spec: {},
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  })
}

function budget(spec: { minAvailable?: number | string; maxUnavailable?: number | string }) {
  server.store.put(POLICY, {
    kind: 'PodDisruptionBudget',
    apiVersion: 'policy/v1',
    metadata: { name: 'b', namespace: 'default', generation: 1 },
    spec: { ...spec, selector: { matchLabels: { app: 'a' } } },
  })
}

const status = () => server.store.get(POLICY, 'default/b')?.status

test('a budget of at least so many pods allows what is above', () => {
  for (const name of ['p1', 'p2', 'p3']) pod(name)
  budget({ minAvailable: 2 })

  expect(status()).toEqual({
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: 'True',
        observedGeneration: 1,
        lastTransitionTime: '2030-01-01T00:00:00Z',
        reason: 'SufficientPods',
        message: '',
      },
    ],
  })
})

test('a pod that stops being ready takes an allowance with it', () => {
  for (const name of ['p1', 'p2', 'p3']) pod(name)
  budget({ minAvailable: 2 })
  pod('p1', { ready: false })

  expect(status()).toMatchObject({
    disruptionsAllowed: 0,
    currentHealthy: 2,
    conditions: [{ status: 'False', reason: 'InsufficientPods' }],
  })
})

test('a share is of the replicas that the controller wants, not of the pods there are', () => {
  server.store.put('replicasets.apps', {
    kind: 'ReplicaSet',
    apiVersion: 'apps/v1',
    metadata: { name: 'r', namespace: 'default', uid: 'r' },
    spec: { replicas: 4 },
  })
  for (const name of ['p1', 'p2', 'p3']) pod(name, { owner: 'r' })
  budget({ maxUnavailable: '50%' })

  expect(status()).toMatchObject({ expectedPods: 4, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 })
})

test('a share rounds up to whole pods', () => {
  for (const name of ['p1', 'p2', 'p3']) pod(name, { owner: 'unknown' })
  budget({ minAvailable: '50%' })

  expect(status()).toMatchObject({ expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 })
})

test('a budget without pods allows nothing', () => {
  budget({ minAvailable: 0 })

  expect(status()).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 })
})
