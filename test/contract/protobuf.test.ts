/** Bodies in protobuf, as kubectl and other clients written in Go send them. */
import { expect, test } from 'vitest'
import { bytes, envelope, number } from '../sim/apiserver/protobuf/write-wire.ts'
import { PROTOBUF } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const inNamespace = (plural: string) => `namespaces/${server.namespace}/${plural}`
const MAPS = `/api/v1/${inNamespace('configmaps')}`
const PODS = `/api/v1/${inNamespace('pods')}`

const named = (name: string) => bytes(1, bytes(1, name), bytes(2, ''), bytes(3, ''), bytes(8))
const entry = (field: number, key: string, value: string | Buffer) => bytes(field, bytes(1, key), bytes(2, value))
const send = (method: string, path: string, body: Buffer) => server.send(method, path, { body, headers: PROTOBUF })
const refusal = async (method: string, path: string, body: Buffer) => {
  const answer = (await send(method, path, body)).body
  return [answer.code, answer.reason, answer.message]
}

test('a ConfigMap is created with its text, bytes and flags', async () => {
  const map = envelope('v1', 'ConfigMap', named('map'), entry(2, 'a', 'b'), entry(3, 'c', Buffer.from([0xff])), number(4, 1))
  const { code, body } = await send('POST', MAPS, map)

  expect(code).toBe(201)
  expect(body).toMatchObject({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'map', namespace: server.namespace, uid: expect.any(String), creationTimestamp: expect.any(String) },
    data: { a: 'b' },
    binaryData: { c: '/w==' },
    immutable: true,
  })
})

test('a budget is created with a percentage and a selector, and a Lease with times', async () => {
  const spec = bytes(2, bytes(1, number(1, 1), bytes(3, '50%')), bytes(2, entry(1, 'app', 'web')))
  const budget = await send(
    'POST',
    `/apis/policy/v1/${inNamespace('poddisruptionbudgets')}`,
    envelope('policy/v1', 'PodDisruptionBudget', named('half'), spec),
  )
  const time = bytes(4, number(1, 1_767_225_600), number(2, 5000))
  const held = bytes(2, bytes(1, 'me'), number(2, 15), time)
  const lease = await send(
    'POST',
    `/apis/coordination.k8s.io/v1/${inNamespace('leases')}`,
    envelope('coordination.k8s.io/v1', 'Lease', named('held'), held),
  )

  expect(budget.body.spec).toEqual({ minAvailable: '50%', selector: { matchLabels: { app: 'web' } } })
  expect(lease.body.spec).toEqual({ holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000005Z' })
})

test('what the envelope does not say, the path does', async () => {
  expect((await send('POST', MAPS, envelope('', '', named('unsaid')))).body).toMatchObject({
    kind: 'ConfigMap',
    metadata: { name: 'unsaid' },
  })
})

test('fields that nobody knows are dropped, even where JSON would be refused for them', async () => {
  const map = envelope('v1', 'ConfigMap', named('unknown'), bytes(99, 'new'), entry(2, 'a', 'b'))
  const { code, body } = await send('POST', `${MAPS}?fieldValidation=Strict`, map)

  expect([code, body.data]).toEqual([201, { a: 'b' }])
})

test('a replacement replaces', async () => {
  await send('POST', MAPS, envelope('v1', 'ConfigMap', named('replaced'), entry(2, 'a', 'b')))
  const { code, body } = await send('PUT', `${MAPS}/replaced`, envelope('v1', 'ConfigMap', named('replaced'), entry(2, 'c', 'd')))

  expect([code, body.data]).toEqual([200, { c: 'd' }])
})

test('options of a deletion are obeyed', async () => {
  await send('POST', MAPS, envelope('v1', 'ConfigMap', named('kept')))
  const other = envelope('v1', 'DeleteOptions', bytes(2, bytes(1, 'another')))
  const dry = envelope('meta.k8s.io/v1', 'DeleteOptions', bytes(5, 'All'))

  expect((await send('DELETE', `${MAPS}/kept`, other)).code).toBe(409)
  expect((await send('DELETE', `${MAPS}/kept`, dry)).code).toBe(200)
  expect((await server.send('GET', `${MAPS}/kept`)).code).toBe(200)
})

test('an eviction evicts', async () => {
  const spec = { nodeName: 'contract-protobuf', containers: [{ name: 'c', image: 'example.com/c:1' }] }
  await server.send('POST', PODS, { body: { metadata: { name: 'evicted' }, spec } })
  const eviction = envelope('policy/v1', 'Eviction', named('evicted'), bytes(2, number(1, 7)))

  expect((await send('POST', `${PODS}/evicted/eviction`, eviction)).code).toBe(201)
  expect((await server.send('GET', `${PODS}/evicted`)).body.metadata.deletionGracePeriodSeconds).toBe(7)
})

test('a review is answered', async () => {
  const attributes = bytes(1, bytes(1, server.namespace), bytes(2, 'get'), bytes(5, 'pods'))
  const review = envelope(
    'authorization.k8s.io/v1',
    'SelfSubjectAccessReview',
    bytes(1),
    bytes(2, attributes),
    bytes(3, number(1, 0), bytes(2, ''), bytes(3, '')),
  )
  const { code, body } = await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)

  expect([code, body.status.allowed]).toEqual([201, true])
  expect(body.spec).toEqual({ resourceAttributes: { namespace: server.namespace, verb: 'get', resource: 'pods' } })
})

test('a body that is no protobuf is a BadRequest that shows its first bytes', async () => {
  const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): '

  expect(await refusal('POST', MAPS, Buffer.from('{"a":1}'))).toEqual([
    400,
    'BadRequest',
    `${unrecognized}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"a":1})`,
  ])
  expect(await refusal('POST', MAPS, Buffer.from('k8s\0'))).toEqual([400, 'BadRequest', `${unrecognized}empty body (6b387300)`])
  expect(await refusal('POST', MAPS, Buffer.from('k8s\0\x0a\x05abc'))).toEqual([
    400,
    'BadRequest',
    `${unrecognized}unexpected EOF (6b3873000a05616263)`,
  ])
})

test('a message that ends early, or has a value of another form, is a BadRequest that names the kind', async () => {
  const cannot = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: '

  expect(await refusal('POST', MAPS, envelope('v1', 'ConfigMap', Buffer.from([0x0a, 0x7f])))).toEqual([
    400,
    'BadRequest',
    `${cannot}unexpected EOF`,
  ])
  expect(await refusal('POST', MAPS, envelope('v1', 'ConfigMap', Buffer.from([0x80])))).toEqual([
    400,
    'BadRequest',
    `${cannot}unexpected EOF`,
  ])
  expect(await refusal('POST', MAPS, envelope('v1', 'ConfigMap', Buffer.alloc(11, 0x80)))).toEqual([
    400,
    'BadRequest',
    `${cannot}proto: integer overflow`,
  ])
  expect((await refusal('POST', MAPS, envelope('v1', 'ConfigMap', number(1, 5)))).slice(0, 2)).toEqual([400, 'BadRequest'])
})

test('another kind than that of the path is a BadRequest', async () => {
  expect((await refusal('POST', MAPS, envelope('v1', 'Secret', named('secret')))).slice(0, 2)).toEqual([400, 'BadRequest'])
})

test('a deletion with other options than DeleteOptions is a BadRequest', async () => {
  expect((await refusal('DELETE', `${MAPS}/map`, envelope('v1', 'ConfigMap', named('map')))).slice(0, 2)).toEqual([
    400,
    'BadRequest',
  ])
})

test('a patch is never protobuf', async () => {
  expect((await refusal('PATCH', `${MAPS}/map`, envelope('v1', 'ConfigMap', named('map')))).slice(0, 2)).toEqual([
    415,
    'UnsupportedMediaType',
  ])
})
