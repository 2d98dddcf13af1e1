import { expect, test } from 'vitest'
import { type KubeApi, KubeError, type KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const PODS = '/api/v1/namespaces/kube-system/pods'
const COMPLETED = 'True Completed'

/** A static pod as its kubelet mirrors it. */
function mirrorPod(component: string, node: string, { ready = true, tag = 'v1.36.3' } = {}) {
  return {
    metadata: {
      name: `${component}-${node}`,
      labels: { component, tier: 'control-plane' },
      annotations: { 'kubernetes.io/config.mirror': 'c0ffee' },
    },
    spec: { nodeName: node, containers: [{ name: component, image: `registry.k8s.io/${component}:${tag}` }] },
    status: { phase: 'Running', conditions: readiness(ready) },
  }
}

function readiness(ready: boolean) {
  return [{ type: 'Ready', status: ready ? 'True' : 'False' }]
}

async function addPods(stage: Stage, pods: readonly ReturnType<typeof mirrorPod>[]): Promise<void> {
  await stage.kube.create('/api/v1/namespaces', { metadata: { name: 'kube-system' } }).catch(() => undefined)
  for (const { status, ...pod } of pods) {
    await stage.kube.create(PODS, pod)
    await stage.kube.patch(`${PODS}/${pod.metadata.name}/status`, { status })
  }
}

/** Nodes `n0`, `n1`, … with an API server and an etcd member each; those of one component are made differently. */
async function stacked(
  stage: Stage,
  nodes: readonly string[],
  odd: Record<string, Parameters<typeof mirrorPod>[2]> = {},
): Promise<void> {
  await stage.addNodes(nodes.length)
  const labels = { 'node-role.kubernetes.io/control-plane': '' }
  for (const node of nodes) await stage.kube.patch(`${NODES}/${node}`, { metadata: { labels } })
  const pods = nodes.flatMap((node) => ['kube-apiserver', 'etcd'].map((part) => mirrorPod(part, node, odd[`${part}-${node}`])))
  await addPods(stage, pods)
}

function messageOf(pool: KubeObject | undefined): string {
  return conditionOf(pool, 'Ready')?.message ?? ''
}

function patches(stage: Stage): string[] {
  return stage.requests.filter((line) => line.startsWith('PATCH /api/v1/nodes/'))
}

test('a pool that wants a kubelet newer than the API server is withheld, and no node changes', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet({ version: '1.37.1' }))
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False VersionSkew')

  expect(messageOf(pools.get('workers'))).toBe(
    'pool "workers": kubelet 1.37.1 is newer than the API server at v1.36.3; allowed: 1.33 to 1.36',
  )
  stage.push('b', aFleet({ v: 4 }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
  const nodes = await stage.until(NODES, () => true)
  expect([...nodes.values()].map(assignedRevision)).toEqual(Array.from({ length: 3 }, () => 'b'.repeat(40)))
  expect(patches(stage)).toHaveLength(3)
})

test('the oldest API server counts, and a pool goes on once it is upgraded', async () => {
  await using stage = await aStage()
  await stacked(stage, ['n0', 'n1', 'n2'], { 'kube-apiserver-n1': { tag: 'v1.35.9' } })
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet({ version: '1.36.3' }))
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False VersionSkew')
  expect(messageOf(pools.get('workers'))).toContain('API server "kube-apiserver-n1" at v1.35.9; allowed: 1.33 to 1.35')
  expect(patches(stage)).toEqual([])

  await stage.kube.delete(`${PODS}/kube-apiserver-n1`, { body: { gracePeriodSeconds: 0 } })
  await stage.until(POOLS, (found) =>
    messageOf(found.get('workers')).includes('no API server is seen on control-plane node "n1"'),
  )
  await addPods(stage, [mirrorPod('kube-apiserver', 'n1')])
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
})

test('nodes of the control plane wait for a member that is sick, and are then changed one at a time', async () => {
  await using stage = await aStage()
  await stacked(stage, ['n0', 'n1', 'n2'], { 'etcd-n2': { ready: false } })
  stage.startController()
  stage.startAgents((node) => (node === 'n2' ? 'applies' : 'says nothing'))
  stage.push('a', aFleet())
  // Its own member is the sick one, so it is the one that may be changed.
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False ControlPlaneUnhealthy')
  expect(messageOf(pools.get('workers'))).toContain('etcd "etcd-n2" is not ready')
  expect(patches(stage)).toEqual(['PATCH /api/v1/nodes/n2'])

  await stage.kube.patch(`${PODS}/etcd-n2/status`, { status: { conditions: readiness(true) } })
  await stage.until(NODES, (found) => assigned(found) === 2)
  await stage.kube.patch(`${NODES}/n2`, { metadata: { annotations: { 'nodewave.io/hold': 'for the test' } } })
  stage.clock.advance(1000)
  await stage.until(POOLS, (found) => JSON.stringify(found.get('workers')?.status).includes('"Held":1'))
  expect(assigned(await stage.until(NODES, () => true))).toBe(2)
})

function assigned(nodes: ReadonlyMap<string, KubeObject>): number {
  return [...nodes.values()].filter((node) => assignedRevision(node) !== undefined).length
}

test('a watch of the control plane that is refused keeps its nodes as they are, and says why', async () => {
  await using stage = await aStage()
  await stacked(stage, ['n0', 'n1', 'n2'])
  const breaking = breakable(stage)
  stage.startController({ kube: breaking.kube })
  await breaking.watched
  const refused = stage.logged((line) => line.startsWith('error follow "/api/v1/namespaces/kube-system/pods"'))
  breaking.stop()
  await refused
  stage.push('a', aFleet())
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False ControlPlaneUnhealthy')

  expect(messageOf(pools.get('workers'))).toContain('watch "/api/v1/namespaces/kube-system/pods": Forbidden: no more')
  expect(patches(stage)).toEqual([])
})

/** A client whose watch of the control plane is refused from some moment on, as when somebody takes the rights away. */
function breakable(stage: Stage) {
  const client = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  const [stopped, watched] = [new AbortController(), Promise.withResolvers<void>()]
  const follow: KubeApi['follow'] = async function* (path, options) {
    if (path !== PODS) return yield* client.follow(path, options)
    const signal = AbortSignal.any([stopped.signal, ...(options.signal ? [options.signal] : [])])
    const onOpen = () => {
      options.onOpen?.()
      watched.resolve()
    }
    yield* client.follow(path, { ...options, signal, onOpen })
    if (stopped.signal.aborted) throw new KubeError('no more', { code: 403, reason: 'Forbidden' })
  }
  return { kube: { ...client, follow }, watched: watched.promise, stop: () => stopped.abort() }
}
