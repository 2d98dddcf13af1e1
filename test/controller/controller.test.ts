import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import type { NodePoolStatus } from '../../src/protocol/node-pool.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf } from './stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const EVENTS = '/api/v1/namespaces/default/events'
const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'

test('a commit reaches every node of its pool and comes back as status', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  expect(pools.get('workers')?.status).toMatchObject({
    stable: { revision: A, author: 'Ada', subject: 'change a' },
    observedRevision: A,
    nodes: { total: 3, current: 3 },
    summary: { revision: 'aaaaaaa', updated: '3/3' },
  })
  const nodes = [...(await stage.until(NODES, () => true)).values()]
  expect(nodes.map(assignedRevision)).toEqual([A, A, A])
  expect(nodes.map((node) => node.metadata.labels?.['nodewave.io/pool'])).toEqual(['workers', 'workers', 'workers'])
})

test('a node costs one patch of its Node, its right to read less than one more, and a fleet at rest nothing', async () => {
  await using stage = await aStage()
  await stage.addNodes(20)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  expect(stage.requests.filter((line) => line.startsWith('PATCH /api/v1/nodes/')).length).toBe(20)
  // One with each watch that is opened, and one before.
  expect(stage.requests.filter((line) => line.startsWith('GET'))).toEqual(Array.from({ length: 9 }, () => 'GET /version'))
  // The first nine nodes have a Role and a RoleBinding each. The others share the Roles of two payloads.
  expect(stage.requests.filter((line) => /^PATCH .*rbac.*\/nodewave-node-/.test(line)).length).toBe(18)
  expect(stage.requests.filter((line) => /^PATCH .*\/roles\/nodewave-payload-/.test(line)).length).toBe(2)
  expect(stage.requests.filter((line) => /^POST .*\/rolebindings/.test(line)).length).toBe(2)
  const before = stage.requests.length
  for (let beat = 0; beat < 10; beat += 1) await stage.heartbeat('n1', beat)
  // What is told after the heartbeats is handled after them.
  await stage.kube.patch(`${NODES}/n2`, { metadata: { annotations: { 'nodewave.io/hold': 'for the test' } } })
  stage.clock.advance(1000)
  await stage.until(POOLS, (found) => JSON.stringify(found.get('workers')?.status).includes('"Held":1'))
  expect(stage.requests.slice(before)).toEqual([`PUT ${POOLS}/workers/status`, `POST ${EVENTS}`])
})

test('a commit that breaks the canary is rolled back and touches nobody else', async () => {
  await using stage = await aStage()
  await stage.addNodes(5)
  stage.startController()
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies'))
  const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 100%'
  stage.push('a', aFleet({ rollout }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.push('b', aFleet({ rollout, v: 4 }))
  const pools = await stage.until(POOLS, (found) => {
    const { rejected, nodes } = (found.get('workers')?.status ?? {}) as { rejected?: object[]; nodes?: { current: number } }
    stage.clock.advance(rejected?.length === 1 ? 1000 : 0)
    return rejected?.length === 1 && nodes?.current === 5
  })
  expect(pools.get('workers')?.status).toMatchObject({
    observedRevision: B,
    target: { revision: A },
    rejected: [{ revision: B }],
    failed: [],
  })
  expect(readyOf(pools.get('workers'))).toBe('False RolledBack')
  expect(stage.requests.filter((line) => line.startsWith('PATCH /api/v1/nodes/')).length).toBe(5 + 2)
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'HealthCheckFailed'))
  expect([...events.values()].find(({ reason }) => reason === 'HealthCheckFailed')).toMatchObject({
    involvedObject: { kind: 'Node' },
    message: 'failed to validate config: kubelet exited 3 times',
  })
})

test('a failure that the first nodes show stops the rest of a large wave', async () => {
  await using stage = await aStage()
  await stage.addNodes(300)
  stage.startController()
  const tried: string[] = []
  stage.startAgents((node, { REVISION }) => {
    if (REVISION === B) tried.push(node)
    return REVISION === B ? 'rolls back' : 'applies'
  })
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.push('b', aFleet({ v: 4 }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack')
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === A))
  expect(tried.length).toBeLessThanOrEqual(128)
})

test('an invalid commit changes nothing, and the pool says where the mistake is', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.push('b', { 'fleet.yaml': (aFleet()['fleet.yaml'] ?? '').replace('flags:', 'flagz:') })
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False InvalidRepository')
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain('fleet.yaml:14:5')
  expect(pools.get('workers')?.status).toMatchObject({ observedRevision: B, target: { revision: A } })
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'InvalidRepository'))
  expect([...events.values()].filter(({ reason }) => reason === 'InvalidRepository').length).toBe(1)
  stage.push('c', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
})

test('a first commit that is invalid is an event on the namespace of the controller, again and again until it is mended', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.push('a', { 'fleet.yaml': (aFleet()['fleet.yaml'] ?? '').replace('flags:', 'flagz:') })
  const told = (found: ReadonlyMap<string, KubeObject>) =>
    [...found.values()].find(({ reason }) => reason === 'InvalidRepository')
  const event = told(await stage.until(EVENTS, (found) => told(found) !== undefined))
  expect(event).toMatchObject({
    involvedObject: { kind: 'Namespace', apiVersion: 'v1', name: 'nodewave-system' },
    type: 'Warning',
    message: expect.stringContaining('fleet.yaml:14:5'),
  })
  await stage.clock.awaited(600_000)
  await stage.kube.delete(`${EVENTS}/${event?.metadata.name}`)
  stage.clock.advance(600_000)
  await stage.until(EVENTS, (found) => told(found) !== undefined)
  stage.push('b', aFleet())
  await stage.until(NODES, (found) => assignedRevision(found.get('n0')) === B)
})

test('a head that is refused is told of, and the fleet stays', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.source.tell({ kind: 'refused', commit: B, reason: 'InvalidRepository', message: 'the branch was force-pushed' })
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False InvalidRepository')
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toBe('the branch was force-pushed')
})

test('a head without a trusted signature is a condition and an event, and the fleet stays until the next one', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.source.tell({ kind: 'refused', commit: B, reason: 'UntrustedCommit', message: 'refuse commit "b": it is not signed' })
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False UntrustedCommit')
  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toBe('refuse commit "b": it is not signed')
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'UntrustedCommit'))
  expect([...events.values()].find(({ reason }) => reason === 'UntrustedCommit')).toMatchObject({
    involvedObject: { kind: 'NodePool', name: 'workers' },
    type: 'Warning',
  })
  await stage.until(NODES, (found) => assignedRevision(found.get('n0')) === A)
  stage.push('b', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
})

test('a repository out of reach is an event on the pools, which go on', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.source.tell({ kind: 'trouble', message: 'read "https://git.example.com/fleet.git": connection refused' })
  const events = await stage.until(EVENTS, (found) =>
    [...found.values()].some(({ reason }) => reason === 'RepositoryUnreachable'),
  )
  expect([...events.values()].find(({ reason }) => reason === 'RepositoryUnreachable')).toMatchObject({
    involvedObject: { kind: 'NodePool', name: 'workers' },
    type: 'Warning',
    message: 'read "https://git.example.com/fleet.git": connection refused',
  })
  await stage.kube.create(NODES, stage.aNode('late'))
  await stage.until(NODES, (found) => assignedRevision(found.get('late')) === A)
})

function nodesOf(pool: KubeObject | undefined): unknown {
  return (pool?.status as Partial<NodePoolStatus> | undefined)?.nodes?.byPhase
}

test('nodes with annotations that make no sense are left alone, and the others go on', async () => {
  await using stage = await aStage()
  await stage.addNodes(4)
  const spoil = (name: string, annotations: object) => stage.kube.patch(`${NODES}/${name}`, { metadata: { annotations } })
  await spoil('n0', { 'nodewave.io/desired-config': '{"KUBELET_VERSION":' })
  await spoil('n1', { 'nodewave.io/status': 'all is well', 'nodewave.io/current-config': '[]' })
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  const pools = await stage.until(POOLS, (found) =>
    isDeepStrictEqual(nodesOf(found.get('workers')), { Current: 3, Unmanaged: 1 }),
  )
  expect(readyOf(pools.get('workers'))).toBe('False UnmanagedNodes')
  const nodes = await stage.until(NODES, () => true)
  expect(nodes.get('n0')?.metadata.annotations?.['nodewave.io/desired-config']).toBe('{"KUBELET_VERSION":')
})

test('nodes say that everybody may assign them by hand while the fleet allows it, those that join too, and no longer', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  stage.startController()
  stage.startAgents()
  const marks = (found: ReadonlyMap<string, KubeObject>) =>
    [...found.values()].map(({ metadata }) => metadata.annotations?.['nodewave.io/by-hand'])
  stage.push('a', aFleet({ fleet: 'byHand: Allow' }))
  await stage.until(NODES, (found) => marks(found).every((mark) => mark === 'Allow'))
  await stage.kube.create(NODES, stage.aNode('late'))
  await stage.until(NODES, (found) => found.size === 3 && marks(found).every((mark) => mark === 'Allow'))
  stage.push('b', aFleet({ fleet: 'byHand: Deny' }))
  await stage.until(NODES, (found) => marks(found).every((mark) => mark === undefined))
})

test('a node that two pools claim is left alone, and both say so', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  await stage.kube.create(NODES, { metadata: { name: 'both', labels: { role: 'worker', gpu: 'yes' } } })
  stage.startController()
  stage.startAgents()
  const more = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec: {nodeSelector: {matchLabels: {gpu: "yes"}}}
`
  stage.push('a', aFleet({ more }))
  const pools = await stage.until(POOLS, (found) =>
    ['workers', 'gpu'].every((name) => readyOf(found.get(name)) === 'False NodeClaimedTwice'),
  )
  expect(conditionOf(pools.get('gpu'), 'Ready')?.message).toContain('node "both" is claimed by the pools "gpu" and "workers"')
  await stage.until(NODES, (found) => assignedRevision(found.get('n0')) === A)
  expect(assignedRevision((await stage.until(NODES, () => true)).get('both'))).toBeUndefined()
})

test('a pool that leaves the repository, as a person has confirmed, loses its object, and its nodes keep what they have', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  await stage.kube.create(POOLS, {
    apiVersion: 'nodewave.io/v1alpha1',
    kind: 'NodePool',
    metadata: { name: 'by-hand' },
    spec: { nodeSelector: { matchLabels: {} } },
  })
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  const labels = { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/kind': 'fleet' }
  await stage.kube.create(MAPS, { metadata: { name: 'nodewave-fleet', labels, annotations: { 'nodewave.io/promote': B } } })
  stage.push('b', { 'fleet.yaml': (aFleet()['fleet.yaml'] ?? '').replace('{name: workers}', '{name: others}') })
  await stage.until(POOLS, (found) => !found.has('workers') && found.has('others') && found.has('by-hand'))
  const nodes = await stage.until(NODES, () => true)
  expect(nodes.get('n0')?.metadata.annotations?.['nodewave.io/desired-config']).toBeDefined()
})

test('payloads are kept where nodes may read them, and the accepted commit where they may not', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.push('a', aFleet())
  const nodes = await stage.until(NODES, (found) => assignedRevision(found.get('n0')) === A)
  const desired = JSON.parse(nodes.get('n0')?.metadata.annotations?.['nodewave.io/desired-config'] ?? '')
  const maps = await stage.until(MAPS, () => true)
  expect([...maps.keys()].sort()).toEqual([desired.HOST_CONFIG, desired.KUBELET_CONFIG].sort())
  const revisions = await stage.until('/api/v1/namespaces/nodewave-revisions/configmaps', () => true)
  expect([...revisions.keys()]).toEqual(['fleet-aaaaaaaaaaaa-0'])
})

test('a payload that somebody deleted is there again before the next node is told of it', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  const payloads = await stage.until(MAPS, (found) => found.size === 2)
  const name = [...payloads.keys()].find((key) => key.startsWith('workers-kubelet-')) ?? ''
  await stage.kube.delete(`${MAPS}/${name}`)
  await stage.kube.create(NODES, stage.aNode('late'))
  await stage.until(NODES, (found) => assignedRevision(found.get('late')) === A)
  expect((await stage.until(MAPS, () => true)).get(name)).toMatchObject({ immutable: true, data: { 'kubelet-flags': '--v=2' } })
})

test('the start fails with a clear error when there is no NodePool kind', async () => {
  await using stage = await aStage()
  await stage.kube.delete('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.nodewave.io')
  const stop = stage.startController()
  await expect(stage.ended()).rejects.toMatchObject({ code: 404 })
  await expect(stop()).rejects.toMatchObject({ code: 404 })
})
