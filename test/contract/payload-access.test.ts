/**
 * Which node may read which payload, as the controller grants it with the rights of deploy/. The embedded API server stores Roles and authorizes
 * nothing: there, only what is written is looked at.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accessBinding,
  accessPath,
  accessRole,
  projectBinding,
  projectRole,
  type SharedPayload,
  type StoredAccess,
  sharedBinding,
  sharedPath,
  sharedRole,
} from '../../src/controller/cache/access-objects.ts'
import { bindingCache } from '../../src/controller/cache/binding-cache.ts'
import { ObjectCache } from '../../src/controller/cache/object-cache.ts'
import { PayloadAccess } from '../../src/controller/payload-access/payload-access.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { applyManifests, deleteManifests, readManifests } from './manifests.ts'
import { as, type Identity, identityOf } from './policy-identities.ts'
import { APPLY, type Body } from './raw-client.ts'
import { contractServer } from './server.ts'

const isReal = process.env.NODEWAVE_CONTRACT === 'real'
if (!isReal)
  console.warn(
    'left out: the rights in test/contract/payload-access.test.ts, because the embedded API server authorizes nothing; ' +
      'run: node test/e2e/apiserver.ts -- npx vitest run test/contract',
  )

const namespace = 'nodewave-system'
const NODE = { name: 'a', uid: 'u1', payloads: [] }
/** Of a payload that many nodes read. */
const PAYLOAD: SharedPayload = { namespace: 'nodewave-system', readable: 'configmaps/workers-host-0123456789', uid: 'u2' }
const OWN = 'workers-kubelet-0123456789'
const OTHERS = 'gpu-kubelet-0123456789'
const SHARED = 'workers-host-0123456789'
const server = await contractServer()

function kubelet(node: string): Identity {
  return { user: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'], annotations: [], label: false }
}

function accessOf() {
  const caches = { roles: new ObjectCache<StoredAccess>(nothing), bindings: bindingCache(nothing) }
  return new PayloadAccess({ kube: createKubeClient(server.connection), namespace, ...caches, uidOf: () => PAYLOAD.uid })
}

test('Role and RoleBinding of a node are written, and read back as they are meant', async () => {
  await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  await accessOf().ensure(NODE, [`configmaps/${OTHERS}`])
  await accessOf().ensure(NODE, [`configmaps/${OWN}`, `secrets/${OWN}`])
  const read = async (collection: 'roles' | 'rolebindings') =>
    (await server.send('GET', accessPath(namespace, collection, NODE.name))).body as KubeObject
  const role = projectRole(await read('roles'))
  expect(role).toMatchObject({ isAsMeant: true, owner: 'u1', readable: [`configmaps/${OWN}`, `secrets/${OWN}`] })
  expect(projectBinding(await read('rolebindings'))).toMatchObject({ isAsMeant: true, owner: 'u1' })
})

test('a Role of a node that reads nothing any more is written, and read back as it is meant', async () => {
  await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  const node = { name: 'idle', uid: 'u3', payloads: [] }
  const access = accessOf()
  await access.ensure(node, [`configmaps/${OWN}`])
  await access.ensure(node, [])
  const path = accessPath(namespace, 'roles', node.name)
  expect(projectRole((await server.send('GET', path)).body as KubeObject)).toMatchObject({ isAsMeant: true, readable: [] })
  for (const collection of ['roles', 'rolebindings'] as const)
    await server.send('DELETE', accessPath(namespace, collection, node.name))
})

test('Role and RoleBinding of a payload that many nodes read are written for nodes together, and read back as they are meant', async () => {
  await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  const access = accessOf()
  const many = 'configmaps/workers-host-fedcba9876'
  const role = 'nodewave-payload-workers-host-fedcba9876'
  const nodes = Array.from({ length: 30 }, (_, index) => ({ name: `many-${index}`, uid: `u${index}`, payloads: [] }))
  await Promise.all(nodes.map((node) => access.ensure(node, [many])))
  const read = async (collection: 'roles' | 'rolebindings', name: string) =>
    (await server.send('GET', sharedPath(namespace, collection, name))).body as KubeObject
  expect(projectRole(await read('roles', role))).toMatchObject({ isAsMeant: true, owner: 'u2', readable: [many] })
  const binding = projectBinding(await read('rolebindings', `${role}-0`))
  expect(binding).toMatchObject({ isAsMeant: true, owner: 'u2', role })
  expect(binding.nodes).toEqual(nodes.slice(9).map(({ name }) => name))
  await access.revokeUnneeded((node) => node === 'many-12', 0)
  await access.revokeUnneeded((node) => node === 'many-12', 600_000)
  expect(projectBinding(await read('rolebindings', `${role}-0`)).nodes).toEqual(['many-12'])
  await access.revokeUnneeded(() => false, 600_000)
  await access.revokeUnneeded(() => false, 1_200_000)
  expect(projectBinding(await read('rolebindings', `${role}-0`)).nodes).toEqual([])
  await access.ensure({ name: 'many-40', uid: 'u40', payloads: [] }, [many])
  expect(projectBinding(await read('rolebindings', `${role}-0`)).nodes).toEqual(['many-40'])
  await server.send('DELETE', sharedPath(namespace, 'roles', role))
  await server.send('DELETE', sharedPath(namespace, 'rolebindings', `${role}-0`))
})

/** A RoleBinding of thirty nodes, whose labels somebody removed, and a controller that has started since and does not see it. */
async function withoutLabels(payload: string, more: object = {}) {
  await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  const nodes = Array.from({ length: 30 }, (_, index) => ({ name: `many-${index}`, uid: `u${index}`, payloads: [] }))
  const role = `nodewave-payload-${payload}`
  const path = sharedPath(namespace, 'rolebindings', `${role}-0`)
  const shared: SharedPayload = { namespace, readable: `configmaps/${payload}`, uid: 'u2' }
  const body = { ...sharedBinding(shared, { name: `${role}-0`, nodes: ['left'] }), ...more } as KubeObject
  await server.send('POST', accessPath(namespace, 'rolebindings'), {
    body: { ...body, metadata: { ...body.metadata, labels: {} } },
  })
  const access = accessOf()
  const ensure = () => Promise.allSettled(nodes.map((node) => access.ensure(node, [shared.readable])))
  await ensure()
  await ensure()
  for (const now of [0, 600_000]) await access.revokeUnneeded(() => true, now)
  const left = (await server.send('GET', path)).body as KubeObject
  const taken = (await server.send('GET', path.replace(/0$/, '1'))).body as KubeObject
  await server.send('DELETE', sharedPath(namespace, 'roles', role))
  for (const index of [0, 1]) await server.send('DELETE', path.replace(/0$/, String(index)))
  return { left, taken }
}

test('a RoleBinding of a shared Role whose labels somebody removed gets them again, and gives nobody a right', async () => {
  const { left, taken } = await withoutLabels('workers-host-without-labels')
  expect(left.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'nodewave' })
  expect(projectBinding(left)).toMatchObject({ nodes: [], isAsMeant: true, owner: 'u2' })
  expect(projectBinding(taken).nodes).toHaveLength(21)
})

describe.runIf(isReal)('access to payloads', () => {
  test('a RoleBinding of another Role that has the name of a shared one stays as it is', async () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }
    const { left, taken } = await withoutLabels('workers-host-foreign', { roleRef })
    expect(left).toMatchObject({ roleRef, subjects: [{ name: 'system:node:left' }] })
    expect(left.metadata.labels).toBeUndefined()
    expect(projectBinding(taken).nodes).toHaveLength(21)
  })

  const controller = identityOf('controller')
  let manifests: Awaited<ReturnType<typeof readManifests>>

  const get = async (identity: Identity, path: string) => (await server.send('GET', path, { headers: as(identity) })).code
  const configMap = (name: string) => `/api/v1/namespaces/${namespace}/configmaps/${name}`
  const apply = async (path: string, body: unknown) => {
    const query = '?fieldManager=contract&force=true&dryRun=All'
    return (await server.send('PATCH', path + query, { body, headers: { ...APPLY, ...as(controller) } })).code
  }

  beforeAll(async () => {
    // Not what other files apply and delete.
    const policy = (await readManifests('admission.yaml')).filter(({ metadata }) => metadata.name === 'nodewave-payload-access')
    manifests = [...(await readManifests('namespace.yaml')), ...(await readManifests('controller-rbac.yaml')), ...policy]
    await applyManifests(server, manifests)
    for (const name of [OWN, OTHERS, SHARED]) {
      await server.send('DELETE', configMap(name))
      const body = { metadata: { name }, data: { kubelet: '{}' } }
      expect((await server.send('POST', configMap('').slice(0, -1), { body })).code).toBe(201)
    }
    // Rights and policies are in effect a moment after they were accepted.
    const foreign = accessPath(namespace, 'roles', 'x').replace('nodewave-node-x', 'other')
    const wrong = () => apply(foreign, renamed(accessRole(namespace, NODE, [`configmaps/${OWN}`]), 'other'))
    while ((await apply(...roleOf([`configmaps/${OWN}`]))) >= 300 || (await wrong()) !== 403) await server.send('GET', '/readyz')
    await accessOf().ensure(NODE, [`configmaps/${OWN}`])
    const others = sharedRole({ ...PAYLOAD, readable: `configmaps/${OTHERS}` })
    await server.send('POST', accessPath(namespace, 'roles'), { body: others })
    const access = accessOf()
    const nodes = Array.from({ length: 12 }, (_, index) => ({ name: `shares-${index}`, uid: `u${index}`, payloads: [] }))
    await Promise.all(nodes.map((node) => access.ensure(node, [PAYLOAD.readable])))
    while ((await get(kubelet('a'), configMap(OWN))) !== 200) await server.send('GET', '/readyz')
    while ((await get(kubelet('shares-11'), configMap(SHARED))) !== 200) await server.send('GET', '/readyz')
  })
  afterAll(async () => {
    for (const name of [OWN, OTHERS, SHARED]) await server.send('DELETE', configMap(name))
    await deleteManifests(
      server,
      manifests.filter(({ kind }) => kind !== 'Namespace'),
    )
    for (const name of [SHARED, OTHERS]) await server.send('DELETE', sharedPath(namespace, 'roles', `nodewave-payload-${name}`))
    await server.send('DELETE', sharedPath(namespace, 'rolebindings', `nodewave-payload-${SHARED}-0`))
    for (const collection of ['roles', 'rolebindings'] as const)
      await server.send('DELETE', accessPath(namespace, collection, NODE.name))
  })

  const roleOf = (readable: Parameters<typeof accessRole>[2]): [string, object] => [
    accessPath(namespace, 'roles', NODE.name),
    accessRole(namespace, NODE, readable),
  ]

  test.each([
    ['the kubelet of the node', kubelet('a'), OWN, 200],
    ['the kubelet of the node', kubelet('a'), OTHERS, 403],
    ['the kubelet of the node', kubelet('a'), 'nodewave-fleet', 403],
    ['the kubelet of another node', kubelet('b'), OWN, 403],
    ['the kubelet of a node whose name begins so', kubelet('aa'), OWN, 403],
    ["a CNI's service account", identityOf("a CNI's service account"), OWN, 403],
    ['an operator', identityOf('an operator'), OWN, 403],
    ['the controller', controller, OTHERS, 200],
    ['a kubelet that shares the Role of a payload', kubelet('shares-11'), SHARED, 200],
    ['a kubelet that shares the Role of a payload', kubelet('shares-11'), OWN, 403],
    ['the kubelet of a node that does not share it', kubelet('a'), SHARED, 403],
    ['the kubelet of a node whose name a sharing one begins with', kubelet('shares'), SHARED, 403],
  ])('%s reads a payload by name only where it is its own', async (_, identity, name, expected) => {
    expect(await get(identity, configMap(name))).toBe(expected)
  })

  test.each(['', '?watch=true&timeoutSeconds=1'])('no kubelet lists or watches payloads%s', async (query) => {
    expect(await get(kubelet('a'), `/api/v1/namespaces/${namespace}/configmaps${query}`)).toBe(403)
  })

  test.each(['roles', 'rolebindings'] as const)('no kubelet reads or writes %s', async (collection) => {
    const path = accessPath(namespace, collection, NODE.name)
    expect(await get(kubelet('a'), path)).toBe(403)
    const body = { metadata: { labels: { a: 'b' } } }
    const headers = { 'content-type': 'application/merge-patch+json', ...as(kubelet('a')) }
    expect((await server.send('PATCH', path, { body, headers })).code).toBe(403)
  })

  test('the controller may take away all that a Role of a node lets read', async () => {
    expect(await apply(...roleOf([]))).toBe(200)
  })

  const role = (change: object, rule: object = {}): Body => {
    const meant = accessRole(namespace, NODE, [`configmaps/${OWN}`]) as Body
    return { ...meant, rules: [{ ...meant.rules[0], ...rule }], ...change }
  }
  test.each([
    ['reads every ConfigMap', role({}, { resourceNames: [] })],
    ['lists', role({}, { verbs: ['get', 'list'] })],
    ['writes', role({}, { verbs: ['patch'] })],
    ['reads any object', role({}, { resources: ['*'] })],
    ['reads leases', role({}, { apiGroups: ['coordination.k8s.io'], resources: ['leases'] })],
    ['reads the credential of the repository', role({}, { resources: ['secrets'], resourceNames: ['nodewave-git'] })],
    ['reads a ConfigMap that is no payload', role({}, { resourceNames: ['nodewave-fleet'] })],
  ])('the controller may write no Role that %s', async (_, body) => {
    expect(await apply(accessPath(namespace, 'roles', NODE.name), body)).toBe(403)
  })

  const binding = (change: object): Body => ({ ...accessBinding(namespace, NODE), ...change })
  const subject = (kind: string, name: string) => ({ subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind, name }] })
  test.each([
    ['every kubelet', subject('Group', 'system:nodes')],
    ['another kubelet', subject('User', 'system:node:b')],
    ['a person', subject('User', 'mallory')],
    ['a service account', { subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }] }],
    ['the kubelet, but to another Role', { roleRef: { ...binding({}).roleRef, name: 'nodewave-controller' } }],
    ['the kubelet, but to a ClusterRole', { roleRef: { ...binding({}).roleRef, kind: 'ClusterRole', name: 'view' } }],
  ])('the controller may bind no Role to %s', async (_, change) => {
    await server.send('DELETE', accessPath(namespace, 'rolebindings', NODE.name))
    const code = await apply(accessPath(namespace, 'rolebindings', NODE.name), binding(change))
    await accessOf().ensure(NODE, [`configmaps/${OWN}`])
    expect(code).toBe(403)
  })

  const ofPayload = sharedPath(namespace, 'roles', `nodewave-payload-${SHARED}`)
  const common = (rule: object): Body => ({
    ...sharedRole(PAYLOAD),
    rules: [{ ...(sharedRole(PAYLOAD) as Body).rules[0], ...rule }],
  })
  test.each([
    ['lets read that payload', common({}), 200],
    ['lets read another payload', common({ resourceNames: [OTHERS] }), 403],
    ['lets read another payload, too', common({ resourceNames: [SHARED, OTHERS] }), 403],
    ['lets read all payloads', common({ resourceNames: [] }), 403],
    ['lets list', common({ verbs: ['get', 'list'] }), 403],
    ['lets read leases', common({ resources: ['leases'] }), 403],
  ])('the controller writes a Role of a payload that %s: %#', async (_, body, expected) => {
    expect(await apply(ofPayload, body)).toBe(expected)
  })

  const sharing = (change: object): Body => ({
    ...sharedBinding(PAYLOAD, { name: `nodewave-payload-${SHARED}-0`, nodes: ['a'] }),
    ...change,
  })
  test.each([
    ['kubelets', {}, 201],
    ['every kubelet', subject('Group', 'system:nodes'), 403],
    ['a person', subject('User', 'mallory'), 403],
    ['a service account', { subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }] }, 403],
    [
      'kubelets, but to the Role of another payload',
      { roleRef: { ...sharing({}).roleRef, name: `nodewave-payload-${OTHERS}` } },
      403,
    ],
    ['kubelets, but to the Role of a node', { roleRef: { ...sharing({}).roleRef, name: 'nodewave-node-a' } }, 403],
    ['kubelets, but to the Role of the controller', { roleRef: { ...sharing({}).roleRef, name: 'nodewave-controller' } }, 403],
    ['kubelets, but to a ClusterRole', { roleRef: { ...sharing({}).roleRef, kind: 'ClusterRole', name: 'view' } }, 403],
  ])('the controller binds the Role of a payload to %s: %#', async (_, change, expected) => {
    const body = sharing(change)
    body.metadata = { ...body.metadata, name: `nodewave-payload-${SHARED}-7` }
    expect(await apply(sharedPath(namespace, 'rolebindings', `nodewave-payload-${SHARED}-7`), body)).toBe(expected)
  })

  test('the controller may write no Role of another name, in no other namespace, and deletes none', async () => {
    const named = role({ metadata: { name: 'nodewave-controller', namespace } })
    expect(await apply(accessPath(namespace, 'roles', 'x').replace('nodewave-node-x', 'nodewave-controller'), named)).toBe(403)
    const elsewhere = role({ metadata: { name: 'nodewave-node-a', namespace: 'kube-system' } })
    expect(await apply(accessPath('kube-system', 'roles', 'a'), elsewhere)).toBe(403)
    const path = `${accessPath(namespace, 'roles', NODE.name)}?dryRun=All`
    expect((await server.send('DELETE', path, { headers: as(controller) })).code).toBe(403)
  })
})

function renamed(object: object, name: string): Body {
  const { metadata, ...rest } = object as Body
  return { ...rest, metadata: { ...metadata, name } }
}

function nothing(): void {}
