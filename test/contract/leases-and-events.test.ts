import { expect, test } from 'vitest'
import { namesOf, TABLE } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${server.namespace}/leases`
const EVENTS = `/api/v1/namespaces/${server.namespace}/events`
const NEW_EVENTS = `/apis/events.k8s.io/v1/namespaces/${server.namespace}/events`

const holder = (name: string, holderIdentity: string, more: object = {}) => ({
  metadata: { name, ...more },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.123456Z' },
})

test('a lease keeps its times to the microsecond', async () => {
  const { code, body } = await server.send('POST', LEASES, { body: holder('precise', 'one') })

  expect([code, body.spec]).toEqual([
    201,
    { holderIdentity: 'one', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.123456Z' },
  ])
})

test('of two that take a lease at the same version, one gets it', async () => {
  const { resourceVersion } = (await server.send('POST', LEASES, { body: holder('contested', '') })).body.metadata
  const first = await server.send('PUT', `${LEASES}/contested`, { body: holder('contested', 'one', { resourceVersion }) })
  const second = await server.send('PUT', `${LEASES}/contested`, { body: holder('contested', 'two', { resourceVersion }) })

  expect([first.code, second.code, second.body.reason]).toEqual([200, 409, 'Conflict'])
  expect((await server.send('GET', `${LEASES}/contested`)).body.spec.holderIdentity).toBe('one')
})

test('a PUT of a lease that is not there makes it', async () => {
  expect((await server.send('PUT', `${LEASES}/put`, { body: holder('put', 'one') })).code).toBe(201)
})

test('a PUT of a lease that is there needs its version, so of two that make it one gets it', async () => {
  await server.send('PUT', `${LEASES}/made-twice`, { body: holder('made-twice', 'one') })
  const { code, body } = await server.send('PUT', `${LEASES}/made-twice`, { body: holder('made-twice', 'two') })

  expect([code, body.message]).toEqual([
    422,
    'leases.coordination.k8s.io "made-twice" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ])
})

test('a watch of one lease hears of that one alone', async () => {
  const list = await server.send('GET', `${LEASES}?fieldSelector=metadata.name%3Dput`)

  expect(list.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['put'])
})

test('a lease of no duration is Invalid', async () => {
  const { code, body } = await server.send('POST', LEASES, {
    body: { metadata: { name: 'x' }, spec: { leaseDurationSeconds: 0 } },
  })

  expect([code, body.message]).toEqual([
    422,
    'Lease.coordination.k8s.io "x" is invalid: spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
  ])
})

test('the table of leases shows the holder', async () => {
  await server.send('POST', LEASES, { body: holder('shown', 'one') })

  expect((await server.send('GET', `${LEASES}/shown`, { headers: TABLE })).body.rows[0].cells.slice(0, 2)).toEqual([
    'shown',
    'one',
  ])
})

const event = (name: string, namespace: string) => ({
  metadata: { name },
  involvedObject: { kind: 'ConfigMap', apiVersion: 'v1', name: 'subject', namespace, uid: 'u-1' },
  type: 'Warning',
  reason: 'Tested',
  message: 'it was tested',
  source: { component: 'contract' },
  count: 2,
})

test('an event is found by what it is about', async () => {
  await server.send('POST', EVENTS, { body: event('about', server.namespace) })
  const find = async (selector: string) =>
    namesOf((await server.send('GET', `${EVENTS}?fieldSelector=${encodeURIComponent(selector)}`)).body)

  expect(await find('involvedObject.name=subject,involvedObject.kind=ConfigMap,involvedObject.uid=u-1')).toEqual(['about'])
  expect(await find('reason=Tested,type=Warning')).toEqual(['about'])
  expect(await find('involvedObject.name=other')).toEqual([])
})

test('an event must be in the namespace of what it is about', async () => {
  const { code, body } = await server.send('POST', EVENTS, { body: event('astray', '') })

  expect([code, body.message]).toEqual([
    422,
    'Event "astray" is invalid: involvedObject.namespace: Invalid value: "": does not match event.namespace',
  ])
})

test('an event has the same content in both of its groups', async () => {
  await server.send('POST', EVENTS, { body: event('twofold', server.namespace) })
  const { body } = await server.send('GET', `${NEW_EVENTS}/twofold`)

  expect(body).toMatchObject({
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    regarding: { kind: 'ConfigMap', name: 'subject' },
    note: 'it was tested',
    deprecatedCount: 2,
    deprecatedSource: { component: 'contract' },
  })
})

test('the table of events is made for people', async () => {
  await server.send('POST', EVENTS, { body: event('told', server.namespace) })
  const { body } = await server.send('GET', `${EVENTS}/told`, { headers: TABLE })
  const [, ...cells] = body.rows[0].cells

  expect(cells).toEqual([
    'Warning',
    'Tested',
    'configmap/subject',
    '',
    'contract',
    'it was tested',
    expect.any(String),
    2,
    'told',
  ])
})
