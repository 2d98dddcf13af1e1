import { expect, test } from 'vitest'
import { projectBinding, projectRole, type Readable } from '../../../src/controller/cache/access-objects.ts'
import { PayloadAccess } from '../../../src/controller/payload-access/payload-access.ts'
import { updateAccess } from '../../../src/controller/payload-access/update-access.ts'
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

test('a RoleBinding that is full has another one beside it', async () => {
  const { access, nodesIn } = await shared()
  await fill(250, { access })
  expect([nodesIn(0).length, nodesIn(1).length]).toEqual([200, 51])
  expect(nodes(251, 9).every((each) => access.isGranted(each, [COMMON]))).toBe(true)
})

test('a Role that was written by a controller which then ended gets its RoleBinding by the next node', async () => {
  const before = some()
  before.kube.failures.push({ on: `POST ${bindingPath(0)}`, error: refusal(500, 'InternalError') })
  await expect(shared(before)).rejects.toThrow('InternalError')
  const access = new PayloadAccess({ ...before, namespace, uidOf: () => 'p1' })
  await access.ensure(node('n9'), [COMMON])
  expect(before.nodesIn(0)).toEqual(['n9'])
})

test('Role and RoleBinding of a payload that was deleted and made again belong to the new one', async () => {
  const { kube, access, uids, nodesIn } = await shared()
  uids.set(COMMON, 'p2')
  expect(access.isGranted(node('n9'), [COMMON])).toBe(false)
  for (const each of nodes(10, 9)) await access.ensure(each, [COMMON])
  expect(kube.objects.get(ROLE)?.metadata.ownerReferences).toMatchObject([{ uid: 'p2' }])
  expect(kube.objects.get(bindingPath(0))?.metadata.ownerReferences).toMatchObject([{ uid: 'p2' }])
  expect(nodesIn(0)).toContain('n18')
})

test('a RoleBinding of the payload that was deleted counts for nothing, though the Role is of the new one', async () => {
  const { kube, access, uids, roles, nodesIn } = await shared()
  uids.set(COMMON, 'p2')
  const role = kube.objects.get(ROLE) as KubeObject
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'workers-kubelet-common', uid: 'p2' }]
  const owned = { ...role, metadata: { ...role.metadata, ownerReferences } } as KubeObject
  roles.observe({ type: 'upsert', item: projectRole(kube.put(ROLE, owned)) })
  expect(access.isGranted(node('n9'), [COMMON])).toBe(false)
  await access.ensure(node('n9'), [COMMON])
  expect(kube.objects.get(bindingPath(0))?.metadata.ownerReferences).toMatchObject([{ uid: 'p2' }])
  expect(nodesIn(0)).toEqual(['n9'])
})

test('a RoleBinding that somebody bound to another Role counts for nothing', async () => {
  const { kube, access, bindings, nodesIn } = await shared()
  const binding = kube.objects.get(bindingPath(0)) as KubeObject
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'admin' }
  bindings.observe({ type: 'upsert', item: projectBinding(kube.put(bindingPath(0), { ...binding, roleRef })) })
  expect(access.isGranted(node('n9'), [COMMON])).toBe(false)
  await access.ensure(node('n9'), [COMMON])
  expect(nodesIn(1)).toEqual(['n9'])
})

test('a RoleBinding of a ClusterRole of the same name is left alone, and keeps no node from its right', async () => {
  const { kube, access, bindings, nodesIn } = await shared()
  const binding = kube.objects.get(bindingPath(0)) as KubeObject
  const roleRef = { ...(binding.roleRef as object), kind: 'ClusterRole' }
  bindings.observe({ type: 'upsert', item: projectBinding(kube.put(bindingPath(0), { ...binding, roleRef })) })
  expect(access.isGranted(node('n9'), [COMMON])).toBe(false)
  kube.requests.length = 0
  await access.ensure(node('n9'), [COMMON])
  await access.revokeUnneeded(() => true, 0)
  expect(nodesIn(1)).toEqual(['n9'])
  expect(kube.requests).toEqual([`POST ${bindingPath(1)}`])
})

test('a RoleBinding whose labels somebody removed, so that it is not seen, keeps no node from its right for long', async () => {
  const { access, bindings, nodesIn } = await shared()
  bindings.observe({ type: 'delete', name: 'nodewave-payload-workers-kubelet-common-0', namespace })
  await expect(access.ensure(node('n30'), [COMMON])).rejects.toThrow('AlreadyExists')
  await access.ensure(node('n30'), [COMMON])
  expect(nodesIn(1)).toEqual(['n30'])
})

test('a RoleBinding whose labels somebody removed gets them again after ten minutes, and gives nobody a right', async () => {
  const { kube, access, bindings, nodesIn } = await shared()
  bindings.observe({ type: 'delete', name: 'nodewave-payload-workers-kubelet-common-0', namespace })
  await expect(access.ensure(node('n9'), [COMMON])).rejects.toThrow('AlreadyExists')
  await access.ensure(node('n9'), [COMMON])
  const needs = () => true
  await access.revokeUnneeded(needs, 0)
  await access.revokeUnneeded(needs, 10 * MINUTES - 1)
  expect(nodesIn(0)).toEqual(['n9'])
  kube.requests.length = 0
  await access.revokeUnneeded(needs, 10 * MINUTES)
  expect(nodesIn(0)).toEqual([])
  expect(access.isGranted(node('n9'), [COMMON])).toBe(true)
  await access.revokeUnneeded(needs, 20 * MINUTES)
  expect(kube.requests).toEqual([`PATCH ${bindingPath(0)}`])
})

test('a RoleBinding of somebody else that is not seen is left alone when the server refuses to change it', async () => {
  const { kube, access, bindings, nodesIn } = await shared()
  bindings.observe({ type: 'delete', name: 'nodewave-payload-workers-kubelet-common-0', namespace })
  await expect(access.ensure(node('n30'), [COMMON])).rejects.toThrow('AlreadyExists')
  await access.revokeUnneeded(() => true, 0)
  kube.failures.push({ on: `PATCH ${bindingPath(0)}`, error: refusal(422, 'Invalid') })
  await access.revokeUnneeded(() => true, 10 * MINUTES)
  expect(nodesIn(0)).toEqual(['n9'])
})

test('a RoleBinding without labels is left to the server when its payload is deleted', async () => {
  const { kube, access, bindings, uids } = await shared()
  bindings.observe({ type: 'delete', name: 'nodewave-payload-workers-kubelet-common-0', namespace })
  await expect(access.ensure(node('n30'), [COMMON])).rejects.toThrow('AlreadyExists')
  uids.delete(COMMON)
  kube.requests.length = 0
  for (const now of [0, 10 * MINUTES]) await access.revokeUnneeded(() => true, now)
  expect(kube.requests).toEqual([])
})

test('a RoleBinding that another controller made a moment ago is not taken for one without labels', async () => {
  const { kube, access, bindings, nodesIn } = await shared()
  bindings.observe({ type: 'delete', name: 'nodewave-payload-workers-kubelet-common-0', namespace })
  await expect(access.ensure(node('n30'), [COMMON])).rejects.toThrow('AlreadyExists')
  bindings.observe({ type: 'upsert', item: projectBinding(kube.objects.get(bindingPath(0)) as KubeObject) })
  await access.revokeUnneeded(() => true, 0)
  await access.revokeUnneeded(() => true, 10 * MINUTES)
  expect(nodesIn(0)).toEqual(['n9'])
})

test('a node whose own RoleBinding the server refuses does not keep another one from losing its right', async () => {
  const { kube, access, nodesIn } = await shared()
  await fill(3, { access })
  const needs = [{ node: node('refused'), readable: [NEXT] as readonly Readable[] }]
  const isNeeded = (name: string) => name !== 'n11'
  for (const now of [0, 10 * MINUTES]) {
    kube.failures.push({ on: `PATCH ${rbac}/rolebindings/nodewave-node-refused`, error: refusal(422, 'Invalid') })
    await expect(updateAccess(access, { needs, isNeeded, now })).rejects.toThrow('Invalid')
  }
  expect(nodesIn(0)).toEqual(['n9', 'n10', 'n12'])
})

test('a RoleBinding that follows one which somebody deleted gives its rights, and loses them', async () => {
  const { kube, access, bindings, nodesIn } = await shared()
  await fill(250, { access })
  kube.objects.delete(bindingPath(0))
  bindings.observe({ type: 'delete', name: 'nodewave-payload-workers-kubelet-common-0', namespace })
  expect([node('n258'), node('n9')].map((each) => access.isGranted(each, [COMMON]))).toEqual([true, false])

  const needs = (name: string) => name !== 'n258'
  await access.revokeUnneeded(needs, 0)
  await access.revokeUnneeded(needs, 10 * MINUTES)
  expect(nodesIn(1)).not.toContain('n258')
  expect(nodesIn(1)).toHaveLength(50)
})

test('a RoleBinding that somebody deleted is made again under its name when the others are full', async () => {
  const { kube, access, bindings, nodesIn } = await shared()
  await fill(250, { access })
  kube.objects.delete(bindingPath(0))
  bindings.observe({ type: 'delete', name: 'nodewave-payload-workers-kubelet-common-0', namespace })
  await Promise.all(nodes(200, 9).map((each) => access.ensure(each, [COMMON])))
  expect([nodesIn(0).length, nodesIn(1).length]).toEqual([51, 200])
})

test('a RoleBinding that the server refuses for another reason is tried again under its name', async () => {
  const { kube, access, nodesIn } = some()
  for (const each of nodes(9)) await access.ensure(each, [COMMON])
  kube.failures.push({ on: `POST ${bindingPath(0)}`, error: refusal(500, 'InternalError') })
  await expect(access.ensure(node('n9'), [COMMON])).rejects.toThrow('InternalError')
  await access.ensure(node('n9'), [COMMON])
  expect(nodesIn(0)).toEqual(['n9'])
})
