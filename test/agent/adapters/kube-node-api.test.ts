import { afterEach, beforeEach, expect, test } from 'vitest'
import { kubeNodeApi } from '../../../src/agent/adapters/kube-node-api.ts'
import type { OwnNode } from '../../../src/agent/ports.ts'
import type { KubeApi } from '../../../src/kube/kube-api.ts'
import { createKubeClient } from '../../../src/kube/kube-client.ts'
import { type EmbeddedApiServer, startApiServer } from '../../../src/sim/apiserver/start-api-server.ts'

let server: EmbeddedApiServer
let kube: KubeApi

beforeEach(async () => {
  server = await startApiServer()
  kube = createKubeClient({ server: server.url, credentials: async () => ({}) })
  for (const name of ['a', 'b']) await kube.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } })
})

afterEach(() => server.close())

async function annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<OwnNode> {
  const node = kubeNodeApi(kube, name)
  return node.annotate(annotations, (await node.get()).version)
}

test('node API shows the own Node at once and at each change, and no other', async () => {
  const stop = new AbortController()
  const node = kubeNodeApi(kube, 'a')
  const seen: OwnNode[] = []
  for await (const found of node.follow(stop.signal)) {
    seen.push(found)
    if (seen.length === 1) {
      await annotate('b', { 'x/y': '2' })
      await annotate('a', { 'x/y': '1' })
    } else stop.abort()
  }

  expect(seen.map(({ name, annotations }) => ({ name, annotations }))).toEqual([
    { name: 'a', annotations: {} },
    { name: 'a', annotations: { 'x/y': '1' } },
  ])
})

test('node API shows no other Node when a proxy does not know the selector', async () => {
  const deaf: KubeApi = { ...kube, follow: (path, { fieldSelector: _, ...options }) => kube.follow(path, options) }
  const stop = new AbortController()
  const seen: string[] = []
  for await (const { name } of kubeNodeApi(deaf, 'b').follow(stop.signal)) {
    seen.push(name)
    if (seen.length === 2) stop.abort()
    else {
      await annotate('a', { 'x/y': '1' })
      await annotate('b', { 'x/y': '2' })
    }
  }

  expect(seen).toEqual(['b', 'b'])
})

test('node API removes an annotation that is null and leaves the others', async () => {
  const node = kubeNodeApi(kube, 'a')
  await annotate('a', { 'x/y': '1', 'x/z': '2' })
  await annotate('a', { 'x/y': null })

  expect((await node.get()).annotations).toEqual({ 'x/z': '2' })
})

test('node API refuses annotations that are based on what the Node was before', async () => {
  const node = kubeNodeApi(kube, 'a')
  const { version } = await node.get()
  const written = await node.annotate({ 'x/y': '2' }, version)

  await expect(node.annotate({ 'x/y': '1' }, version)).rejects.toMatchObject({ reaction: 'conflict' })
  expect(await node.get()).toEqual(written)
  expect(written).toMatchObject({ annotations: { 'x/y': '2' } })
})

test('node API tells readiness, version and architecture as the kubelet reported them', async () => {
  const status = {
    conditions: [{ type: 'Ready', status: 'True' }],
    nodeInfo: { kubeletVersion: 'v1.36.3', architecture: 'arm64' },
  }
  expect(await kubeNodeApi(kube, 'a').get()).toMatchObject({ ready: false, kubeletVersion: '', arch: '' })
  await kube.patch('/api/v1/nodes/a/status', { status })

  expect(await kubeNodeApi(kube, 'a').get()).toMatchObject({ ready: true, kubeletVersion: 'v1.36.3', arch: 'arm64' })
})

test('node API reads a ConfigMap by name, and says when there is none', async () => {
  const path = '/api/v1/namespaces/default/configmaps'
  await kube.create(path, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'default' },
    data: { k: 'v' },
  })
  const node = kubeNodeApi(kube, 'a')

  expect(await node.configMap('default', 'c')).toEqual({ k: 'v' })
  await expect(node.configMap('default', 'missing')).rejects.toMatchObject({ code: 404 })
})

const SPEC = { containers: [{ name: 'dns', image: 'dns:1' }] }
const PODS = '/api/v1/namespaces/kube-system/pods'

/** As the kubelet of node `a` mirrors a static pod. */
async function mirror(annotations: Readonly<Record<string, string>>, status: object): Promise<void> {
  await kube.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'dns-a', annotations }, spec: SPEC })
  await kube.patch(`${PODS}/dns-a/status`, { status })
}

test('node API shows the mirror pod of a static pod, and none where there is none', async () => {
  const node = kubeNodeApi(kube, 'a')
  expect(await node.mirrorPod('kube-system', 'dns')).toBeUndefined()
  const annotations = { 'kubernetes.io/config.mirror': 'c0ffee', 'nodewave.io/static-pod': 'd' }
  const containerStatuses = [
    { name: 'dns', restartCount: 2 },
    { name: 'log', restartCount: 1 },
  ]
  await mirror(annotations, { conditions: [{ type: 'Ready', status: 'True' }], containerStatuses })

  expect(await node.mirrorPod('kube-system', 'dns')).toEqual({ digest: 'd', ready: true, restarts: 3, trouble: undefined })
})

test('node API takes no pod of another kind for a mirror pod', async () => {
  await mirror({}, { conditions: [{ type: 'Ready', status: 'True' }] })

  expect(await kubeNodeApi(kube, 'a').mirrorPod('kube-system', 'dns')).toBeUndefined()
})

test.each([
  [
    'a container that waits',
    { containerStatuses: [{ name: 'dns', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }] },
    'container "dns": ImagePullBackOff: no such image',
  ],
  [
    'a container that ended',
    { containerStatuses: [{ name: 'dns', state: { terminated: { exitCode: 3 } } }] },
    'container "dns": it exited (exit 3)',
  ],
  ['a pod that was not admitted', { phase: 'Failed', reason: 'OutOfcpu', message: 'no CPU' }, 'OutOfcpu: no CPU'],
  ['a condition', { conditions: [{ type: 'Ready', status: 'False', message: 'unready containers' }] }, 'unready containers'],
])('node API says what the kubelet says of %s', async (_, status, trouble) => {
  await mirror({ 'kubernetes.io/config.mirror': 'c0ffee' }, status)

  expect(await kubeNodeApi(kube, 'a').mirrorPod('kube-system', 'dns')).toMatchObject({ ready: false, trouble })
})
