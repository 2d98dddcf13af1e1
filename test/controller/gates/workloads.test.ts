import { expect, test } from 'vitest'
import type { Asked } from '../../../src/controller/gates/gate-check.ts'
import { workloads } from '../../../src/controller/gates/workloads.ts'
import type { KubeApi, KubeObject, ListOptions } from '../../../src/kube/kube-api.ts'

const NOTED = '2026-11-21T12:00:00Z'

/** A cluster with these objects, by path of their collection. */
function cluster(collections: Readonly<Record<string, readonly object[]>>) {
  const asked: string[] = []
  const list = async <T>(path: string, { project }: ListOptions<T>) => {
    asked.push(path)
    return { items: (collections[path] ?? []).map((object) => project(object as KubeObject)), resourceVersion: '1' }
  }
  return { asked, kube: { list } satisfies Pick<KubeApi, 'list'> }
}

function named(name: string, rest: object, creationTimestamp = '2026-11-01T00:00:00Z'): object {
  return { metadata: { name, namespace: 'shop', creationTimestamp }, ...rest }
}

function available(replicas: number, availableReplicas: number, holds = 'True'): object {
  return { spec: { replicas }, status: { availableReplicas, conditions: [{ type: 'Available', status: holds }] } }
}

function ask(
  kube: Pick<KubeApi, 'list'>,
  { before = [], namespaces }: { before?: readonly string[]; namespaces?: readonly string[] } = {},
) {
  const asked = { question: 'after', before, recordedAt: NOTED } as unknown as Asked
  return workloads(kube)({ kind: 'workloads', namespaces }, asked, new AbortController().signal)
}

function note(kube: Pick<KubeApi, 'list'>, before?: readonly string[]) {
  const asked = { question: 'before', ...(before && { before }) } as Asked
  return workloads(kube)({ kind: 'workloads' }, asked, new AbortController().signal)
}

const DEPLOYMENTS = '/apis/apps/v1/deployments'

test.each([
  ['a Deployment that calls itself unavailable', DEPLOYMENTS, available(3, 1, 'False'), 'Deployment shop/x lacks 2, 0 before'],
  ['a Deployment that nobody has looked at', DEPLOYMENTS, { spec: { replicas: 1 } }, 'Deployment shop/x lacks 1, 0 before'],
  ['a StatefulSet with a pod too few', '/apis/apps/v1/statefulsets', available(3, 2), 'StatefulSet shop/x lacks 1, 0 before'],
  [
    'a DaemonSet with pods that are not available',
    '/apis/apps/v1/daemonsets',
    { status: { numberUnavailable: 2 } },
    'DaemonSet shop/x lacks 2, 0 before',
  ],
])('%s does not hold', async (_, path, object, message) => {
  expect(await ask(cluster({ [path]: [named('x', object)] }).kube)).toEqual({ verdict: 'NotPassed', value: 1, message })
})

test.each([
  ['a Deployment that is available with a pod too few', DEPLOYMENTS, available(3, 2)],
  ['a Deployment of no pod', DEPLOYMENTS, available(0, 0)],
  ['a StatefulSet of no pod', '/apis/apps/v1/statefulsets', { spec: { replicas: 0 } }],
  ['a DaemonSet on no node', '/apis/apps/v1/daemonsets', { status: {} }],
])('%s holds', async (_, path, object) => {
  expect(await ask(cluster({ [path]: [named('x', object)] }).kube)).toMatchObject({ verdict: 'Passed' })
})

test('what was unavailable before may stay so, and not grow worse', async () => {
  const at = (numberUnavailable: number) =>
    cluster({ '/apis/apps/v1/daemonsets': [named('cni', { status: { numberUnavailable } })] }).kube

  expect(await note(at(2))).toMatchObject({ verdict: 'Passed', unavailable: ['DaemonSet shop/cni 2'] })
  expect(await ask(at(2), { before: ['DaemonSet shop/cni 2'] })).toMatchObject({ verdict: 'Passed' })
  expect(await ask(at(3), { before: ['DaemonSet shop/cni 2'] })).toMatchObject({
    verdict: 'NotPassed',
    message: 'DaemonSet shop/cni lacks 3, 2 before',
  })
})

test('what an older record says counts for as much of it as is unavailable still', async () => {
  const { kube } = cluster({
    [DEPLOYMENTS]: [
      named('worse', available(5, 1, 'False')),
      named('better', available(5, 4, 'False')),
      named('new', available(1, 0, 'False')),
    ],
  })
  const before = ['Deployment shop/better 3', 'Deployment shop/repaired 1', 'Deployment shop/worse 2']

  expect(await note(kube, before)).toEqual({
    verdict: 'Passed',
    message: '2 workloads are already unavailable',
    unavailable: ['Deployment shop/better 1', 'Deployment shop/worse 2'],
  })
  expect(await note(kube, [])).toMatchObject({ unavailable: [] })
})

test('a workload that is unavailable does not hold, and says so, when it is unknown what was so before', async () => {
  const asked = { question: 'after', before: [] } as unknown as Asked
  const { kube } = cluster({ [DEPLOYMENTS]: [named('x', available(3, 1, 'False'))] })

  expect(await workloads(kube)({ kind: 'workloads' }, asked, new AbortController().signal)).toEqual({
    verdict: 'NotPassed',
    value: 1,
    message: 'Deployment shop/x lacks 2, unknown before',
  })
})

test('what was made since the wave began is not looked at', async () => {
  const late = named('x', available(3, 0, 'False'), '2026-11-21T12:00:01Z')

  expect(await ask(cluster({ [DEPLOYMENTS]: [late] }).kube)).toMatchObject({ verdict: 'Passed' })
})

test('namespaces that are stated are looked at alone', async () => {
  const { kube, asked } = cluster({
    '/apis/apps/v1/namespaces/shop/deployments': [named('x', available(1, 1))],
    '/apis/apps/v1/namespaces/mail/daemonsets': [named('y', { status: {} })],
  })
  expect(await ask(kube, { namespaces: ['shop', 'mail'] })).toMatchObject({ verdict: 'Passed' })

  expect(asked.filter((path) => path.endsWith('deployments'))).toEqual([
    '/apis/apps/v1/namespaces/shop/deployments',
    '/apis/apps/v1/namespaces/mail/deployments',
  ])
})

test('a gate has no answer when one of its namespaces has no workloads', async () => {
  const { kube } = cluster({ '/apis/apps/v1/namespaces/shop/deployments': [named('x', available(1, 1))] })

  await expect(ask(kube, { namespaces: ['shop', 'shopp'] })).rejects.toThrow(
    'namespace "shopp" has no Deployment, StatefulSet or DaemonSet; correct the namespaces of the gate',
  )
})

test('more than can be noted is not noted in part', async () => {
  const many = Array.from({ length: 201 }, (_, i) => named(`x${i}`, available(1, 0, 'False')))

  await expect(note(cluster({ [DEPLOYMENTS]: many }).kube)).rejects.toThrow(
    '201 workloads are already unavailable, more than can be recorded; name the namespaces to check',
  )
})

test('fewer with long names are not noted in part', async () => {
  const many = Array.from({ length: 150 }, (_, i) => named(`${'x'.repeat(120)}-${i}`, available(1, 0, 'False')))

  await expect(note(cluster({ [DEPLOYMENTS]: many }).kube)).rejects.toThrow(
    '150 workloads are already unavailable, more than can be recorded; name the namespaces to check',
  )
})

test('as many as can be noted are noted', async () => {
  const many = Array.from({ length: 200 }, (_, i) => named(`x${i}`, available(1, 0, 'False')))

  expect(await note(cluster({ [DEPLOYMENTS]: many }).kube)).toMatchObject({
    verdict: 'Passed',
    message: '200 workloads are already unavailable',
  })
})

test.each([
  [3, 'Deployment shop/x0 lacks 1, 0 before; Deployment shop/x1 lacks 1, 0 before; Deployment shop/x2 lacks 1, 0 before'],
  [
    4,
    'Deployment shop/x0 lacks 1, 0 before; Deployment shop/x1 lacks 1, 0 before; Deployment shop/x2 lacks 1, 0 before; and 1 more',
  ],
])('of %i workloads that are worse the first three are named, and the others counted', async (count, message) => {
  const worse = Array.from({ length: count }, (_, i) => named(`x${i}`, available(1, 0, 'False')))

  expect((await ask(cluster({ [DEPLOYMENTS]: worse }).kube)).message).toBe(message)
})

test.each([
  ['before the wave was noted', '2026-11-21T11:59:59Z', 'NotPassed'],
  ['in the second in which the wave was noted', NOTED, 'NotPassed'],
  ['after the wave was noted', '2026-11-21T12:00:01Z', 'Passed'],
  ['at a time that nobody knows', '', 'NotPassed'],
])('a gate sees a Deployment without pods that was made %s (%s) and says %s', async (_, createdAt, verdict) => {
  const { kube } = cluster({ [DEPLOYMENTS]: [named('x', available(1, 0, 'False'), createdAt)] })

  expect((await ask(kube)).verdict).toBe(verdict)
})

test('a Deployment is available by that condition alone', async () => {
  const { kube } = cluster({
    [DEPLOYMENTS]: [
      named('x', {
        spec: { replicas: 2 },
        status: {
          availableReplicas: 1,
          conditions: [
            { type: 'Progressing', status: 'True' },
            { type: 'Available', status: 'True' },
          ],
        },
      }),
      named('y', {
        spec: { replicas: 2 },
        status: { availableReplicas: 1, conditions: [{ type: 'Progressing', status: 'True' }] },
      }),
    ],
  })

  expect(await ask(kube)).toMatchObject({ verdict: 'NotPassed', message: 'Deployment shop/y lacks 1, 0 before' })
})
