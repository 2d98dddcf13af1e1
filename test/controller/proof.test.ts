import { expect, test } from 'vitest'
import { proofPodName } from '../../src/controller/proof/proof-pod.ts'
import { type KubeApi, KubeError, type KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { parseNodeProof } from '../../src/protocol/node-proof.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const PODS = '/api/v1/namespaces/nodewave-proof/pods'

/** Two nodes with a pause image that run a first commit; the returned function ends its controller. */
async function aProvedFleet(stage: Stage): Promise<() => Promise<void>> {
  await stage.addNodes(2)
  stage.startAgents()
  stage.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  const stop = stage.startController()
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  for (const name of ['n0', 'n1']) await stage.kube.patch(`${NODES}/${name}/status`, { status: WITH_PAUSE })
  return stop
}

const WITH_PAUSE = {
  images: [{ names: ['registry.k8s.io/pause@sha256:abc', 'registry.k8s.io/pause:3.10'], sizeBytes: 300_000 }],
  allocatable: { pods: '110' },
}

/** A second commit, which takes one node after the other. */
function change(stage: Stage, pod = ''): void {
  stage.push('b', aFleet({ v: 4, rollout: `waves: [{name: canary, nodes: 1, soak: 0s}], proof: {pod: {timeout: 30s, ${pod}}}` }))
}

function podRequests({ requests }: Stage): string[] {
  return requests.filter((line) => line.includes('/nodewave-proof/')).map((line) => line.replace(/proof-\w+$/, 'proof-…'))
}

function isOneAtWork(pods: ReadonlyMap<string, KubeObject>): boolean {
  return pods.size === 1
}

function isCompleted(stage: Stage, commit: string): Promise<unknown> {
  const runs = (node: KubeObject | undefined) => assignedRevision(node) === commit
  return stage
    .until(NODES, (found) => runs(found.get('n0')) && runs(found.get('n1')))
    .then(() => stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed'))
}

test('each changed node runs a pod before the next one is changed, and no pod is left', async () => {
  await using stage = await aStage()
  await aProvedFleet(stage)
  stage.startKubelets()
  change(stage)
  await isCompleted(stage, B)
  await stage.until(PODS, (pods) => pods.size === 0)
  const nodes = await stage.until(NODES, () => true)

  expect(podRequests(stage)).toEqual([`POST ${PODS}`, `DELETE ${PODS}/proof-…`, `POST ${PODS}`, `DELETE ${PODS}/proof-…`])
  expect([...nodes.values()].map((node) => proofOf(node)?.state)).toEqual(['Passed', 'Passed'])
})

test('a pod is bound to its node, owned by it, and may do nothing', async () => {
  await using stage = await aStage()
  await aProvedFleet(stage)
  change(stage)
  const [pod] = (await stage.until(PODS, isOneAtWork)).values()
  const nodeName = nodeOf(pod)
  const node = await stage.kube.get<KubeObject>(`${NODES}/${nodeName}`)

  expect(pod?.metadata.ownerReferences).toEqual([
    { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node.metadata.uid, controller: true, blockOwnerDeletion: false },
  ])
  expect(pod?.spec).toMatchObject({
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        image: 'registry.k8s.io/pause:3.10',
        resources: { requests: { cpu: '0', memory: '0' } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
      },
    ],
  })
})

test('a pod mounts the claim that the pool names', async () => {
  await using stage = await aStage()
  await aProvedFleet(stage)
  change(stage, 'claim: shared')
  const [pod] = (await stage.until(PODS, isOneAtWork)).values()

  expect(pod?.spec).toMatchObject({
    volumes: [{ name: 'proof', persistentVolumeClaim: { claimName: 'shared' } }],
    containers: [{ volumeMounts: [{ name: 'proof', mountPath: '/proof' }] }],
  })
})

test('a pod that cannot start fails its node in the words of its kubelet, the node goes back, and the other one is not touched', async () => {
  await using stage = await aStage()
  await aProvedFleet(stage)
  stage.startKubelets(() => ({ complaint: 'plugin type="no-such" failed (add): failed to find plugin' }))
  change(stage)
  await stage.until(PODS, isOneAtWork)
  await stage.until(POOLS, (found) => {
    stage.clock.advance(1_000)
    return /failed to find plugin/.test(conditionOf(found.get('workers'), 'Ready')?.message ?? '')
  })
  stage.clock.advance(30_000)
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack')
  const nodes = await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === A))
  await stage.until(PODS, (pods) => pods.size === 0)

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain(
    'the pod that proves the node has not started within 30 s: FailedCreatePodSandBox: plugin type="no-such" failed (add)',
  )
  expect(nodes.size).toBe(2)
  expect(podRequests(stage)).toEqual([`POST ${PODS}`, `DELETE ${PODS}/proof-…`])
})

test('a controller that takes over goes on with the pod that is there', async () => {
  await using stage = await aStage()
  const stop = await aProvedFleet(stage)
  change(stage)
  await stage.until(PODS, isOneAtWork)
  await stop()
  stage.startController()
  stage.startKubelets()
  await isCompleted(stage, B)
  await stage.until(PODS, (pods) => pods.size === 0)

  expect(podRequests(stage).filter((line) => line.startsWith('POST'))).toHaveLength(2)
})

test('a pod whose Node is gone is removed', async () => {
  await using stage = await aStage()
  await aProvedFleet(stage)
  change(stage)
  const [pod] = (await stage.until(PODS, isOneAtWork)).values()
  const nodeName = nodeOf(pod)
  await stage.kube.delete(`${NODES}/${nodeName}`)

  await stage.until(PODS, (pods) => [...pods.values()].every((other) => nodeOf(other) !== nodeName))
})

test('a pod that may not be made stalls the pool, fails no node, and lets no other node be changed', async () => {
  await using stage = await aStage()
  await aProvedFleet(stage)
  await stage.kube.delete('/api/v1/namespaces/nodewave-proof')
  change(stage)
  const pools = await stage.until(POOLS, (found) => {
    stage.clock.advance(1_000)
    return conditionOf(found.get('workers'), 'Stalled')?.reason === 'WriteRefused'
  })
  const nodes = await stage.until(NODES, () => true)

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain('nodewave-proof')
  expect([...nodes.values()].filter((node) => assignedRevision(node) === B)).toHaveLength(1)
})

const SPEC = { containers: [{ name: 'theirs', image: 'example.com/theirs:1' }] }
/** A pod that somebody else made. */
const aStranger = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'theirs' } }, spec: SPEC })

test('a pod of somebody else that has the name is left alone, and the node is proved by a pod with another name', async () => {
  await using stage = await aStage()
  await aProvedFleet(stage)
  for (const name of ['n0', 'n1']) await stage.kube.create(PODS, aStranger(proofPodName(name)))
  stage.startKubelets()
  change(stage)
  await isCompleted(stage, B)
  const left = await stage.until(PODS, (pods) => pods.size === 2)
  const nodes = await stage.until(NODES, () => true)

  expect([...left.values()].map(({ metadata }) => metadata.labels)).toEqual([{ app: 'theirs' }, { app: 'theirs' }])
  expect([...nodes.values()].map((node) => proofOf(node)?.state)).toEqual(['Passed', 'Passed'])
})

test('an API server that does not take the pod for a while fails no node', async () => {
  await using stage = await aStage()
  const stop = await aProvedFleet(stage)
  await stop()
  const kube = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  let refusals = 0
  const create: KubeApi['create'] = async (path, body, options) => {
    if (path !== PODS || refusals === 3) return kube.create(path, body, options)
    refusals += 1
    setImmediate(() => stage.clock.advance(30_000))
    throw new KubeError('it is away', { code: 503, reason: 'ServiceUnavailable' })
  }
  stage.startController({ kube: { ...kube, create } })
  stage.startKubelets()
  change(stage)
  await isCompleted(stage, B)

  expect(refusals).toBe(3)
})

function nodeOf(pod: KubeObject | undefined): string {
  return (pod?.spec as { readonly nodeName?: string } | undefined)?.nodeName ?? ''
}

function proofOf(node: KubeObject) {
  return parseNodeProof(node.metadata.annotations?.['nodewave.io/proof'], node.metadata.uid)
}
