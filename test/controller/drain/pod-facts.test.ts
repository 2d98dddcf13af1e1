import { expect, test } from 'vitest'
import { covers, projectBudget, projectPod } from '../../../src/controller/drain/pod-facts.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'

function aPod(more: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): KubeObject {
  return { metadata: { name: 'a', namespace: 'shop', uid: 'u', labels: { app: 'cart' }, ...metadata }, ...more }
}

test('a pod is kept as what a drain must know of it', () => {
  expect(projectPod(aPod()).name).toBe('shop/a')
  expect(projectPod(aPod()).view).toEqual({
    namespace: 'shop',
    name: 'a',
    uid: 'u',
    mirror: false,
    emptyDir: false,
    finished: false,
    terminating: false,
  })
})

test.each<[string, KubeObject, object]>([
  [
    'its controller',
    aPod({}, { ownerReferences: [{ kind: 'Node' }, { kind: 'DaemonSet', controller: true }] }),
    { controller: 'DaemonSet' },
  ],
  ['that it is a mirror', aPod({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }), { mirror: true }],
  [
    'that it has an emptyDir volume',
    aPod({
      spec: {
        volumes: [
          { name: 'c', configMap: {} },
          { name: 'd', emptyDir: {} },
        ],
      },
    }),
    { emptyDir: true },
  ],
  ['that it has finished', aPod({ status: { phase: 'Failed' } }), { finished: true }],
  ['that it was told to go', aPod({}, { deletionTimestamp: '2026-11-21T08:00:00Z' }), { terminating: true }],
])('of a pod is kept %s', (_, pod, expected) => {
  expect(projectPod(pod).view).toMatchObject(expected)
})

test('a budget covers the pods of its namespace that it selects', () => {
  const budget = (namespace: string, app: string) =>
    projectBudget({ metadata: { name: 'b', namespace }, spec: { selector: { matchLabels: { app } } } })

  expect(covers(budget('shop', 'cart'), projectPod(aPod()))).toBe(true)
  expect(covers(budget('other', 'cart'), projectPod(aPod()))).toBe(false)
  expect(covers(budget('shop', 'till'), projectPod(aPod()))).toBe(false)
})
