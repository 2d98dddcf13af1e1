import { beforeEach, expect, test } from 'vitest'
import { JSON_PATCH, MERGE, PARTIAL, STRATEGIC, TABLE } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const NODES = '/api/v1/nodes'
const NODE = `${NODES}/contract-node`

const patch = (path: string, body: unknown, headers: Record<string, string> = MERGE) =>
  server.send('PATCH', path, { body, headers })

beforeEach(async () => {
  await server.send('DELETE', NODE)
  const metadata = { name: 'contract-node', labels: { 'node-role.kubernetes.io/worker': '' } }
  const status = { nodeInfo: { kubeletVersion: 'v1.36.3' }, conditions: [{ type: 'Ready', status: 'True' }] }
  expect(await server.send('POST', NODES, { body: { metadata, status } })).toMatchObject({ code: 201 })
})

test('a new node has a uid, a stamp, its status and the taint of one not yet ready', async () => {
  const { code, body } = await server.send('GET', NODE)

  expect(code).toBe(200)
  expect(body).toMatchObject({
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name: 'contract-node',
      uid: expect.stringMatching(/^[0-9a-f]{8}-/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
    spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
    status: { nodeInfo: { kubeletVersion: 'v1.36.3', bootID: '' } },
  })
  expect(body.metadata.generation).toBeUndefined()
})

test('a merge patch sets one annotation, removes another, and leaves the rest', async () => {
  await patch(NODE, { metadata: { annotations: { a: '1', b: '2' } } })
  const { code, body } = await patch(NODE, { metadata: { annotations: { a: null, c: '3' } } })

  expect(code).toBe(200)
  expect(body.metadata.annotations).toEqual({ b: '2', c: '3' })
  expect(body.metadata.labels).toEqual({ 'node-role.kubernetes.io/worker': '' })
})

test('a patch that changes nothing keeps the resourceVersion', async () => {
  const first = await patch(NODE, { metadata: { annotations: { a: '1' } } })
  const second = await patch(NODE, { metadata: { annotations: { a: '1' } } })

  expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
})

test('resourceVersions grow with every write', async () => {
  const first = await patch(NODE, { metadata: { annotations: { a: '1' } } })
  const second = await patch(NODE, { metadata: { annotations: { a: '2' } } })

  expect(Number(second.body.metadata.resourceVersion)).toBeGreaterThan(Number(first.body.metadata.resourceVersion))
})

test('a patch of the node leaves its status, a patch of the status leaves its spec', async () => {
  await patch(NODE, { status: { nodeInfo: { kubeletVersion: 'v9' } }, spec: { unschedulable: true } })
  const { body } = await patch(`${NODE}/status`, {
    status: { nodeInfo: { kubeletVersion: 'v1.37.0' } },
    spec: { unschedulable: false },
  })

  expect(body.status.nodeInfo.kubeletVersion).toBe('v1.37.0')
  expect(body.spec.unschedulable).toBe(true)
})

test('a node that was uncordoned looks as one never cordoned', async () => {
  await patch(NODE, { spec: { unschedulable: true } })
  const { body } = await patch(NODE, { spec: { unschedulable: false } })

  expect(body.spec.unschedulable).toBeUndefined()
})

test('a strategic patch merges conditions by type and replaces taints', async () => {
  await patch(`${NODE}/status`, { status: { conditions: [{ type: 'DiskPressure', status: 'False' }] } }, STRATEGIC)
  await patch(`${NODE}/status`, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, STRATEGIC)
  const { body } = await patch(NODE, { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }, STRATEGIC)

  const byType = body.status.conditions.map(({ type, status }: { type: string; status: string }) => `${type}=${status}`)
  expect(byType.sort()).toEqual(['DiskPressure=False', 'Ready=False'])
  expect(body.spec.taints).toEqual([{ key: 'k', effect: 'NoSchedule' }])
})

test('a strategic patch removes the condition that it marks for deletion', async () => {
  const { body } = await patch(`${NODE}/status`, { status: { conditions: [{ type: 'Ready', $patch: 'delete' }] } }, STRATEGIC)

  expect(body.status.conditions ?? []).toEqual([])
})

test('a strategic patch without the merge key of a list is an error of the server, without a reason', async () => {
  const { body } = await patch(`${NODE}/status`, { status: { conditions: [{ status: 'x' }] } }, STRATEGIC)

  expect(body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'map: map[status:x] does not contain declared merge key: type',
    code: 500,
  })
})

test('a merge patch replaces lists', async () => {
  const { body } = await patch(`${NODE}/status`, { status: { conditions: [{ type: 'DiskPressure', status: 'False' }] } })

  expect(body.status.conditions).toHaveLength(1)
  expect(body.status.conditions[0]).toMatchObject({ type: 'DiskPressure', status: 'False' })
})

test('a JSON patch is done as a whole or not at all', async () => {
  const done = await patch(NODE, [{ op: 'add', path: '/metadata/labels/tier', value: 'gold' }], JSON_PATCH)
  const refused = await patch(
    NODE,
    [
      { op: 'add', path: '/metadata/labels/other', value: 'x' },
      { op: 'test', path: '/metadata/labels/tier', value: 'silver' },
    ],
    JSON_PATCH,
  )

  expect(done.body.metadata.labels.tier).toBe('gold')
  expect(refused.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  })
  expect((await server.send('GET', NODE)).body.metadata.labels.other).toBeUndefined()
})

test('the table of a node has its state, roles and version', async () => {
  await patch(NODE, { spec: { unschedulable: true } })
  const { body } = await server.send('GET', NODE, { headers: TABLE })

  expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
  expect(body.columnDefinitions.map(({ name, priority }: { name: string; priority: number }) => `${name} ${priority}`)).toEqual([
    'Name 0',
    'Status 0',
    'Roles 0',
    'Age 0',
    'Version 0',
    'Internal-IP 1',
    'External-IP 1',
    'OS-Image 1',
    'Kernel-Version 1',
    'Container-Runtime 1',
  ])
  const [row] = body.rows
  const [name, state, roles, age, version, ...wide] = row.cells
  expect([name, state, roles, version]).toEqual(['contract-node', 'Ready,SchedulingDisabled', 'worker', 'v1.36.3'])
  expect(age).toMatch(/^\d+s$/)
  expect(wide).toEqual(['<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'])
  expect(row.object).toMatchObject({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { name: 'contract-node' },
  })
})

test('partial metadata has the annotations and nothing of spec and status', async () => {
  await patch(NODE, { metadata: { annotations: { a: '1' } } })
  const { body } = await server.send('GET', NODE, { headers: PARTIAL })

  expect(Object.keys(body).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
  expect(body).toMatchObject({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { annotations: { a: '1' } },
  })
})

test('a deletion answers with a Status that names the node', async () => {
  const { body } = await server.send('DELETE', NODE)

  expect(body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: 'contract-node', kind: 'nodes', uid: expect.any(String) },
  })
})
