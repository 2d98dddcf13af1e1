import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { projectBinding, projectRole } from '../../../src/controller/cache/access-objects.ts'
import { PayloadAccess } from '../../../src/controller/payload-access/payload-access.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { refusal } from '../fake-kube.ts'
import {
  bindingPath,
  COMMON,
  fill,
  MINUTES,
  NEXT,
  namespace,
  node,
  nodes,
  ROLE,
  rbac,
  shared,
  some,
} from './some-shared-access.ts'

test('from the tenth node on, a payload has a Role that nodes share, which belongs to the payload', async () => {
  const { kube, access } = some()
  for (const each of nodes(9)) await access.ensure(each, [COMMON])
  expect(kube.objects.has(ROLE)).toBe(false)
  await access.ensure(node('n9'), [COMMON])
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'workers-kubelet-common', uid: 'p1' }]
  expect(kube.objects.get(ROLE)).toMatchObject({
    metadata: { ownerReferences },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['workers-kubelet-common'] }],
  })
  expect(kube.objects.get(bindingPath(0))).toMatchObject({
    metadata: { ownerReferences },
    roleRef: { kind: 'Role', name: 'nodewave-payload-workers-kubelet-common' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:node:n9' }],
  })
  expect(kube.objects.has(`${rbac}/roles/nodewave-node-n9`)).toBe(false)
})

test('a Secret that many read is shared as such, and owned by it', async () => {
  const secret = 'secrets/workers-secret-common'
  const { kube, access } = some(new Map([[secret, 's1']]))
  for (const each of nodes(10)) await access.ensure(each, [secret])
  const role = kube.objects.get(`${rbac}/roles/nodewave-payload-workers-secret-common`)
  expect(role).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Secret', uid: 's1' }] },
    rules: [{ resources: ['secrets'] }],
  })
})

test('nodes that wait while one write is under way are written together', async () => {
  const { kube, access, nodesIn } = await shared()
  await fill(30, { access })
  expect(kube.requests).toEqual([`PATCH ${bindingPath(0)}`])
  expect(nodesIn(0)).toHaveLength(31)
})

test('nodes that are announced are written together, and ask for no write of their own', async () => {
  const { kube, access, nodesIn } = await shared()
  expect(access.unannounced([COMMON, NEXT])).toEqual([COMMON])
  access.announce(nodes(30, 10), COMMON)
  await access.ensure(node('n10'), [COMMON])
  expect(kube.requests).toEqual([`PATCH ${bindingPath(0)}`])
  for (const each of nodes(30, 10)) await access.ensure(each, [COMMON])
  expect([kube.requests.length, nodesIn(0).length, access.unannounced([COMMON])]).toEqual([1, 31, []])
})

test('a node reads what is shared, and by its own Role what only it needs', async () => {
  const { kube, access } = await shared()
  await access.ensure(node('n20'), [COMMON, 'configmaps/workers-host-n20'])
  const own = projectRole(kube.objects.get(`${rbac}/roles/nodewave-node-n20`) as KubeObject)
  expect(own.readable).toEqual(['configmaps/workers-host-n20'])
  expect(access.isGranted(node('n20'), [COMMON, 'configmaps/workers-host-n20'])).toBe(true)
  expect(access.isGranted(node('n21'), [COMMON])).toBe(false)
})

test('what another controller added meanwhile is not taken away', async () => {
  const { kube, access, nodesIn } = await shared()
  const binding = kube.objects.get(bindingPath(0)) as KubeObject
  const subjects = [
    ...(binding.subjects as object[]),
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:node:x' },
  ]
  kube.put(bindingPath(0), { ...binding, subjects })
  await expect(access.ensure(node('n30'), [COMMON])).rejects.toThrow('Conflict')
  expect(nodesIn(0)).toEqual(['n9', 'x'])
})

test('what failed is tried again for all that waited', async () => {
  const { kube, access, nodesIn } = await shared()
  kube.failures.push({ on: `PATCH ${bindingPath(0)}`, error: refusal(403, 'Forbidden') })
  await expect(access.ensure(node('n30'), [COMMON])).rejects.toThrow('Forbidden')
  expect(access.isGranted(node('n30'), [COMMON])).toBe(false)
  await access.ensure(node('n30'), [COMMON])
  expect(nodesIn(0)).toEqual(['n9', 'n30'])
})

test('a controller that starts goes on with the Roles that are shared, and with those that nodes have', async () => {
  const before = await shared()
  const access = new PayloadAccess({ ...before, namespace, uidOf: () => 'p1' })
  expect(nodes(10).every((each) => access.isGranted(each, [COMMON]))).toBe(true)
  await access.ensure(node('n30'), [COMMON])
  expect(before.nodesIn(0)).toEqual(['n9', 'n30'])
})

test('a payload that is not there is granted node by node', async () => {
  const { kube, access } = some(new Map())
  for (const each of nodes(12)) await access.ensure(each, [COMMON])
  expect(kube.objects.has(ROLE)).toBe(false)
})

test('a Role to which somebody gave more is written again', async () => {
  const { kube, access, roles } = await shared()
  const role = kube.objects.get(ROLE) as KubeObject
  const changed = { ...role, rules: [{ ...(role.rules as object[])[0], verbs: ['get', 'list'] }] }
  roles.observe({ type: 'upsert', item: projectRole(kube.put(ROLE, changed)) })
  expect(access.isGranted(node('n9'), [COMMON])).toBe(false)
  for (const each of nodes(10, 20)) await access.ensure(each, [COMMON])
  expect(kube.objects.get(ROLE)?.rules).toMatchObject([{ verbs: ['get'] }])
})

test('a node that does not need a payload for ten minutes may not read it any more', async () => {
  const { access, nodesIn } = await shared()
  await fill(3, { access })
  const needs = (name: string) => name !== 'n11'
  await access.revokeUnneeded(needs, 0)
  await access.revokeUnneeded(needs, 10 * MINUTES - 1)
  expect(nodesIn(0)).toEqual(['n9', 'n10', 'n11', 'n12'])
  await access.revokeUnneeded(needs, 10 * MINUTES)
  expect(nodesIn(0)).toEqual(['n9', 'n10', 'n12'])
  expect(access.isGranted(node('n11'), [COMMON])).toBe(false)
})

test('a payload that no node reads by a Role of its own loses the nodes that do not need it', async () => {
  const { access, roles, nodesIn } = await shared()
  for (const { name } of nodes(9)) roles.observe({ type: 'delete', name: `nodewave-node-${name}`, namespace })
  await access.revokeUnneeded(() => false, 0)
  await access.revokeUnneeded(() => false, 10 * MINUTES)
  expect(nodesIn(0)).toEqual([])
})

test('a node that is about to be assigned the payload again keeps its right', async () => {
  const { access, nodesIn } = await shared()
  await access.revokeUnneeded(() => false, 0)
  await access.ensure(node('n9'), [COMMON])
  await access.revokeUnneeded(() => false, 10 * MINUTES)
  expect(nodesIn(0)).toEqual(['n9'])
})

test('a node that asks while its right is being taken away has it afterwards', async () => {
  const { access, nodesIn } = await shared()
  await fill(2, { access })
  await access.revokeUnneeded(() => false, 0)
  const revoked = access.revokeUnneeded(() => false, 10 * MINUTES)
  expect(access.isGranted(node('n10'), [COMMON])).toBe(false)
  await Promise.all([revoked, access.ensure(node('n10'), [COMMON])])
  expect(nodesIn(0)).toEqual(['n10'])
  expect(access.isGranted(node('n10'), [COMMON])).toBe(true)
})

test('room that nodes have left is filled again', async () => {
  const { access, nodesIn } = await shared()
  await access.revokeUnneeded(() => false, 0)
  await access.revokeUnneeded(() => false, 10 * MINUTES)
  expect(nodesIn(0)).toEqual([])
  await access.ensure(node('n40'), [COMMON])
  expect(nodesIn(0)).toEqual(['n40'])
})

test('a subject that is no kubelet is removed by the next look', async () => {
  const { kube, access, bindings } = await shared()
  const binding = kube.objects.get(bindingPath(0)) as KubeObject
  const subjects = [...(binding.subjects as object[]), { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }]
  bindings.observe({ type: 'upsert', item: projectBinding(kube.put(bindingPath(0), { ...binding, subjects })) })
  await access.revokeUnneeded(() => true, 0)
  expect(kube.objects.get(bindingPath(0))?.subjects).toMatchObject([{ name: 'system:node:n9' }])
})

test('a look at payloads that all need writes nothing', async () => {
  const { kube, access } = await shared(some(new Map([[COMMON, 'p1'] as const, [NEXT, 'p2'] as const])))
  await access.revokeUnneeded(() => true, 0)
  await access.revokeUnneeded(() => true, 20 * MINUTES)
  expect(kube.requests).toEqual([])
})

test('a node whose new payloads are all shared no longer reads what its own Role gave it two assignments ago', async () => {
  const { kube, access } = await shared(some(new Map([[COMMON, 'p1']])))
  const secret = 'secrets/controllers-secret-0123456789'
  const moved = node('moved')
  await access.ensure(moved, [secret])
  await access.ensure({ ...moved, payloads: ['controllers-secret-0123456789'] }, [COMMON])
  expect(kube.objects.get(`${rbac}/roles/nodewave-node-moved`)?.rules).toMatchObject([{ resources: ['secrets'] }])
  await access.ensure({ ...moved, payloads: ['workers-kubelet-common'] }, [COMMON])
  expect(kube.objects.get(`${rbac}/roles/nodewave-node-moved`)?.rules).toEqual([])
})

test('a node that may read already what others share costs no request when its own Role is as it should be', async () => {
  const { kube, access } = await shared()
  const named = { ...node('n3'), payloads: ['workers-kubelet-common'] }
  await access.ensure(named, [COMMON])
  expect(kube.requests).toEqual([])
})

test('nodes that asked for a payload still count when a look finds that it is there', async () => {
  const { kube, access } = some()
  for (const each of nodes(9)) await access.ensure(each, [COMMON])
  await access.revokeUnneeded(() => true, 0)
  await access.ensure(node('n9'), [COMMON])
  expect(kube.objects.has(ROLE)).toBe(true)
})

test('a payload that was announced is announced once more only when a look found that it was gone', async () => {
  const { access, uids } = await shared()
  access.announce([], COMMON)
  await access.revokeUnneeded(() => true, 0)
  expect(access.unannounced([COMMON])).toEqual([])
  uids.delete(COMMON)
  await access.revokeUnneeded(() => true, 0)
  uids.set(COMMON, 'p1')
  expect(access.unannounced([COMMON])).toEqual([COMMON])
})

test('an announcement to no node writes nothing', async () => {
  const { kube, access } = some()
  access.announce([], COMMON)
  await turn()
  expect(kube.requests).toEqual([])
})

test('a Role that lets a node read nothing concerns no look at what nodes share', async () => {
  const { kube, access, roles } = some()
  const metadata = { name: 'nodewave-node-a', namespace, resourceVersion: '1' }
  roles.observe({ type: 'upsert', item: projectRole({ metadata, rules: [] }) })
  await access.revokeUnneeded(() => false, 0)
  await access.revokeUnneeded(() => false, 10 * MINUTES)
  expect(kube.requests).toEqual([])
})
