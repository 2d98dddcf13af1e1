import { expect, test } from 'vitest'
import type { Readable, SharedPayload, StoredAccess } from '../../../src/controller/cache/access-objects.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { UnseenBindings } from '../../../src/controller/payload-access/unseen-bindings.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const MINUTE = 60_000
const PATH = '/apis/rbac.authorization.k8s.io/v1/namespaces/nodewave-system/rolebindings/b'
const readable: Readable = 'configmaps/p'

function given({ isThere = true } = {}) {
  const kube = new FakeKube()
  const bindings = new ObjectCache<StoredAccess>(() => undefined)
  const payload: SharedPayload = { namespace: 'nodewave-system', readable, uid: 'u' }
  const payloadOf = () => (isThere ? payload : undefined)
  const unseen = new UnseenBindings({ kube, namespace: 'nodewave-system', bindings, payloadOf })
  unseen.note('b', readable)
  return { kube, bindings, unseen }
}

test('a RoleBinding that is not seen is emptied ten minutes after the first look, and no sooner', async () => {
  const { kube, unseen } = given()

  await unseen.adopt(5 * MINUTE)
  await unseen.adopt(15 * MINUTE - 1)
  expect(kube.requests).toEqual([])
  expect(unseen.has('b')).toBe(true)
  await unseen.adopt(15 * MINUTE)
  expect(kube.requests).toEqual([`PATCH ${PATH}`])
  expect(unseen.has('b')).toBe(false)
})

test('a RoleBinding that is seen after all is left alone', async () => {
  const { kube, bindings, unseen } = given()
  bindings.wrote({ name: 'b', namespace: 'nodewave-system', resourceVersion: '1' } as unknown as StoredAccess)

  await unseen.adopt(0)
  expect(unseen.has('b')).toBe(false)
  expect(kube.requests).toEqual([])
})

test('a RoleBinding whose payload is gone is left to the garbage collector of Kubernetes', async () => {
  const { kube, unseen } = given({ isThere: false })

  await unseen.adopt(0)
  expect(unseen.has('b')).toBe(false)
  expect(kube.requests).toEqual([])
})

test('a RoleBinding that the server refuses to change gives another Role, and is tried again', async () => {
  const { kube, unseen } = given()
  kube.failures.push({ on: 'PATCH', error: refusal(422, 'Invalid') })

  await unseen.adopt(0)
  await unseen.adopt(10 * MINUTE)
  expect(unseen.has('b')).toBe(true)
  await unseen.adopt(11 * MINUTE)
  expect(unseen.has('b')).toBe(false)
})

test('a RoleBinding waits while the server has no answer, and its caller hears of that', async () => {
  const { kube, unseen } = given()
  kube.failures.push({ on: 'PATCH', error: refusal(0, 'Unreachable') })

  await unseen.adopt(0)
  await expect(unseen.adopt(10 * MINUTE)).rejects.toThrow('Unreachable')
  expect(unseen.has('b')).toBe(true)
})
