import { expect, test } from 'vitest'
import { projectControlPlanePod } from '../../../src/controller/cache/control-plane-pods.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'

function aPod(image: string, more: Partial<KubeObject> & { readonly deletionTimestamp?: string } = {}): KubeObject {
  const { deletionTimestamp, ...parts } = more
  return {
    metadata: {
      ...{ name: 'kube-apiserver-a', namespace: 'kube-system', resourceVersion: '7', labels: { component: 'kube-apiserver' } },
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: {
      nodeName: 'a',
      containers: [
        { name: 'konnectivity', image: 'example.com/proxy:v0.1.0' },
        { name: 'kube-apiserver', image },
      ],
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
    ...parts,
  }
}

test('a pod of the control plane is kept as its node, its readiness and the version of its own container', () => {
  expect(projectControlPlanePod(aPod('registry.k8s.io/kube-apiserver:v1.36.3'))).toEqual({
    name: 'kube-apiserver-a',
    namespace: 'kube-system',
    resourceVersion: '7',
    instance: { component: 'kube-apiserver', name: 'kube-apiserver-a', node: 'a', ready: true, version: 'v1.36.3' },
  })
})

test.each([
  ['10.0.0.1:5000/kube-apiserver:v1.36.3', 'v1.36.3'],
  ['registry.k8s.io/kube-apiserver:v1.36.3@sha256:0123abcd', 'v1.36.3'],
  ['example.com/hardened:v1.33.1-rke2r1-build20250515', 'v1.33.1-rke2r1-build20250515'],
  ['registry.k8s.io/kube-apiserver@sha256:0123abcd', undefined],
  ['10.0.0.1:5000/kube-apiserver', undefined],
  ['kube-apiserver:latest', undefined],
])('the version of image %s is %s', (image, version) => {
  expect(projectControlPlanePod(aPod(image)).instance.version).toBe(version)
})

test('a pod that goes, and one that says nothing of itself, is not ready', () => {
  const going = aPod('a:v1.36.3', { deletionTimestamp: '2026-11-21T12:00:00Z' })
  const bare: KubeObject = { metadata: { name: 'etcd-a', labels: { component: 'etcd' } } }

  expect(projectControlPlanePod(going).instance.ready).toBe(false)
  expect(projectControlPlanePod(bare).instance).toEqual({ component: 'etcd', name: 'etcd-a', node: '', ready: false })
})

test.each([
  ['that it is Ready', [{ type: 'Ready', status: 'True' }], true],
  ['that it is not Ready', [{ type: 'Ready', status: 'False' }], false],
  ['only that its containers are', [{ type: 'ContainersReady', status: 'True' }], false],
  ['nothing', [], false],
])('a pod of the control plane whose conditions say %s is ready: %j', (_, conditions, expected) => {
  expect(projectControlPlanePod(aPod('kube-apiserver:v1.36.3', { status: { conditions } })).instance.ready).toBe(expected)
})
