import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  accessPath,
  accessRole,
  projectBinding,
  projectRole,
  type Readable,
  type StoredAccess,
} from '../../../src/controller/cache/access-objects.ts'
import { bindingCache } from '../../../src/controller/cache/binding-cache.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { grantMissing } from '../../../src/controller/payload-access/grant-missing.ts'
import { PayloadAccess } from '../../../src/controller/payload-access/payload-access.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const namespace = 'nodewave-system'
const ROLE = accessPath(namespace, 'roles', 'a')
const BINDING = accessPath(namespace, 'rolebindings', 'a')
const OLD = 'configmaps/workers-kubelet-old'
const NEW = 'configmaps/workers-kubelet-new'
const SECRET = 'secrets/workers-host-new'
const node = { name: 'a', uid: 'u1', payloads: [] as readonly string[] }

function some() {
  const kube = new FakeKube()
  const caches = { roles: new ObjectCache<StoredAccess>(nothing), bindings: bindingCache(nothing) }
  const access = new PayloadAccess({ kube, namespace, ...caches, uidOf: () => undefined })
  const rulesNow = () => (kube.objects.get(ROLE)?.rules as { resources: string[]; resourceNames: string[] }[]) ?? []
  const readableNow = () => rulesNow().map(({ resources, resourceNames }) => [...resources, ...resourceNames].join(' '))
  return { kube, access, readableNow, ...caches }
}

test('a node gets a Role for its payloads by name, bound to its kubelet alone, and owned by its Node', async () => {
  const { kube, access } = some()
  await access.ensure(node, [NEW, SECRET])
  expect(kube.requests).toEqual([`PATCH ${ROLE}`, `PATCH ${BINDING}`])
  const metadata = { name: 'nodewave-node-a', ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'u1' }] }
  expect(kube.objects.get(ROLE)).toMatchObject({
    metadata,
    rules: [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['workers-kubelet-new'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['workers-host-new'] },
    ],
  })
  expect(kube.objects.get(BINDING)).toMatchObject({
    metadata,
    roleRef: { kind: 'Role', name: 'nodewave-node-a' },
    subjects: [{ kind: 'User', name: 'system:node:a' }],
  })
})

test('what a node may read already costs no request', async () => {
  const { kube, access } = some()
  await access.ensure(node, [NEW])
  await access.ensure(node, [NEW])
  await access.ensure({ ...node, payloads: ['workers-kubelet-new'] }, [])
  expect(kube.requests).toHaveLength(2)
})

test('a new assignment keeps what the Node still names readable, and nothing older', async () => {
  const { access, readableNow } = some()
  await access.ensure(node, [OLD])
  await access.ensure({ ...node, payloads: ['workers-kubelet-old'] }, [NEW])
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new workers-kubelet-old'])
  await access.ensure({ ...node, payloads: ['workers-kubelet-new'] }, ['configmaps/workers-kubelet-newer'])
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new workers-kubelet-newer'])
})

test('two writes for one node at once add up', async () => {
  const { access, readableNow } = some()
  const named = { ...node, payloads: ['workers-kubelet-old', 'workers-kubelet-new'] }
  await Promise.all([access.ensure(named, [OLD]), access.ensure(named, [NEW])])
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new workers-kubelet-old'])
})

test('the third write for a node waits for the second, though the first has ended', async () => {
  const { kube, access, readableNow } = some()
  const named = { ...node, payloads: ['workers-kubelet-old', 'workers-kubelet-new', 'workers-host-new'] }
  const second = Promise.withResolvers<void>()
  const patch = kube.patch.bind(kube)
  kube.patch = async (...request) => {
    if (kube.requests.length === 2) await second.promise
    return patch(...request) as never
  }
  const [first, ...later] = [access.ensure(named, [OLD]), access.ensure(named, [NEW])]
  await first
  later.push(access.ensure(named, [SECRET]))
  await turn()
  second.resolve()
  await Promise.all(later)
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new workers-kubelet-old', 'secrets workers-host-new'])
})

test('a Node that was registered again owns its Role again', async () => {
  const { kube, access } = some()
  await access.ensure(node, [NEW])
  await access.ensure({ ...node, uid: 'u2' }, [NEW])
  expect(kube.objects.get(ROLE)?.metadata.ownerReferences).toMatchObject([{ uid: 'u2' }])
  expect(kube.objects.get(BINDING)?.metadata.ownerReferences).toMatchObject([{ uid: 'u2' }])
})

test.each([
  ['a verb', { verbs: ['get', 'list'] }],
  ['no names', { resourceNames: [] }],
])('a Role to which somebody gave %s is written again', async (_, change) => {
  const { kube, access, roles, readableNow } = some()
  await access.ensure(node, [NEW])
  const role = kube.objects.get(ROLE)
  const [rule] = (role?.rules ?? []) as object[]
  roles.observe({
    type: 'upsert',
    item: projectRole(kube.put(ROLE, { metadata: node, ...role, rules: [{ ...rule, ...change }] })),
  })
  await access.ensure(node, [NEW])
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new'])
  expect(kube.objects.get(ROLE)?.rules).toMatchObject([{ verbs: ['get'] }])
})

test('a RoleBinding to which somebody added a subject is written again', async () => {
  const { kube, access, bindings } = some()
  await access.ensure(node, [NEW])
  const binding = kube.objects.get(BINDING)
  const subjects = [...((binding?.subjects ?? []) as object[]), { apiGroup: '', kind: 'User', name: 'mallory' }]
  bindings.observe({ type: 'upsert', item: projectBinding(kube.put(BINDING, { metadata: node, ...binding, subjects })) })
  await access.ensure(node, [NEW])
  expect(kube.objects.get(BINDING)?.subjects).toHaveLength(1)
})

test('what failed is tried again', async () => {
  const { kube, access, readableNow } = some()
  kube.failures.push({ on: `PATCH ${BINDING}`, error: refusal(403, 'Forbidden') })
  await expect(access.ensure(node, [NEW])).rejects.toThrow('Forbidden')
  await access.ensure(node, [NEW])
  expect(kube.objects.has(BINDING)).toBe(true)
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new'])
})

test('nodes that lack access to what they were assigned get it, so many at a time', async () => {
  const { kube, access } = some()
  const needs = Array.from({ length: 250 }, (_, index) => ({
    node: { ...node, name: `n${index}` },
    readable: [NEW] as readonly Readable[],
  }))
  expect(await grantMissing(access, needs)).toEqual({ isDone: false })
  expect(await grantMissing(access, needs)).toEqual({ isDone: true })
  expect(await grantMissing(access, needs)).toEqual({ isDone: true })
  expect(kube.requests).toHaveLength(500)
})

/** Each with its name as a number. */
function needsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    node: { ...node, name: `n${index}` },
    readable: [NEW] as readonly Readable[],
  }))
}

function rolesIn(kube: FakeKube): number {
  return [...kube.objects.keys()].filter((path) => path.includes('/roles/')).length
}

/** Of so many nodes, the first ones. */
function isOfFirst(count: number, name: string): boolean {
  return Number(name.replace('nodewave-node-n', '')) < count
}

test('nodes that the server refuses Roles for keep no other node from its Role', async () => {
  const { kube, access } = some()
  const needs = needsOf(450)
  kube.stored = (object) => {
    if (isOfFirst(210, object.metadata.name)) throw refusal(403, 'Forbidden')
    return object
  }
  await expect(grantMissing(access, needs)).rejects.toThrow('and 207 more')
  expect(rolesIn(kube)).toBe(240)
})

test('one node that the server refuses a Role for makes no other node of thousands wait', async () => {
  const { kube, access } = some()
  const needs = needsOf(5_000)
  kube.stored = (object) => {
    if (isOfFirst(1, object.metadata.name)) throw refusal(422, 'Invalid')
    return object
  }
  const grantAll = async () => {
    for (let isDone = false; !isDone; ) ({ isDone } = await grantMissing(access, needs))
  }
  await expect(grantAll()).rejects.toThrow('refused: Invalid')
  expect(rolesIn(kube)).toBe(4_999)
})

test('nodes whose Roles something else changes at once keep no other node from its Role', async () => {
  const { kube, access } = some()
  const needs = needsOf(450)
  kube.stored = (object) => (isOfFirst(210, object.metadata.name) && object.rules ? { ...object, rules: [] } : object)
  expect(await grantMissing(access, needs)).toEqual({ isDone: true })
  expect(rolesIn(kube)).toBe(450)
})

test('a right that is restored takes away none that the node gets for an assignment that is not on it yet', async () => {
  const { access, readableNow } = some()
  const before = { ...node, payloads: ['workers-kubelet-old'] }
  const restored = grantMissing(access, [{ node: before, readable: [OLD] }])
  await Promise.all([access.ensure(before, [NEW]), restored])
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new workers-kubelet-old'])
  await access.ensure({ ...node, payloads: ['workers-kubelet-new'] }, [NEW])
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new'])
})

test('a right that is restored late takes away none that the node got meanwhile', async () => {
  const { access, readableNow } = some()
  const before = { ...node, payloads: ['workers-kubelet-old'] }
  await access.ensure(before, [NEW])
  await grantMissing(access, [{ node: before, readable: [OLD] }])
  expect(readableNow()).toEqual(['configmaps workers-kubelet-new workers-kubelet-old'])
})

test('a Role is read as it was written', () => {
  const role = accessRole(namespace, node, [SECRET, NEW, NEW]) as Parameters<typeof projectRole>[0]
  expect(projectRole(role)).toMatchObject({ readable: [NEW, SECRET], isAsMeant: true, owner: 'u1' })
})

function nothing(): void {}
