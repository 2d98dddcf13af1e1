import { expect, test } from 'vitest'
import type { Body } from './raw-client.ts'
import { APPLY, MERGE } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const MAPS = `/api/v1/namespaces/${server.namespace}/configmaps`

/** Server-side apply of a ConfigMap. */
function apply(name: string, manager: string, { query = '', ...content }: { query?: string; data?: object; labels?: object }) {
  const { labels, ...rest } = content as { labels?: object; data?: object }
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(labels && { labels }) }, ...rest }
  return server.send('PATCH', `${MAPS}/${name}?fieldManager=${manager}${query}`, { body, headers: APPLY })
}

test('the first apply creates, and records who set what', async () => {
  const { code, body } = await apply('made', 'one', { data: { a: '1' }, labels: { x: 'y' } })

  expect(code).toBe(201)
  expect(body.metadata.managedFields).toEqual([
    {
      manager: 'one',
      operation: 'Apply',
      apiVersion: 'v1',
      time: expect.stringMatching(/Z$/),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:x': {} } } },
    },
  ])
})

test('what a manager no longer applies goes', async () => {
  await apply('shrunk', 'one', { data: { a: '1', b: '1' }, labels: { x: 'y' } })
  const { code, body } = await apply('shrunk', 'one', { data: { a: '1' } })

  expect([code, body.data, body.metadata.labels]).toEqual([200, { a: '1' }, undefined])
})

test('what another manager applies too stays', async () => {
  await apply('shared', 'one', { data: { a: '1', b: '1' } })
  await apply('shared', 'two', { data: { b: '1' } })
  const { body } = await apply('shared', 'one', { data: { a: '1' } })

  expect(body.data).toEqual({ a: '1', b: '1' })
})

test('a field that another manager set otherwise is a Conflict, unless forced', async () => {
  await apply('contested', 'one', { data: { a: '1', b: '1' } })
  const refused = await apply('contested', 'two', { data: { a: '2' } })
  const forced = await apply('contested', 'two', { data: { a: '2' }, query: '&force=true' })

  expect(refused.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
    reason: 'Conflict',
    details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }] },
    code: 409,
  })
  expect(forced.body.data).toEqual({ a: '2', b: '1' })
  expect(forced.body.metadata.managedFields.map(({ manager, fieldsV1 }: Body) => [manager, fieldsV1])).toEqual(
    expect.arrayContaining([
      ['one', { 'f:data': { 'f:b': {} } }],
      ['two', { 'f:data': { 'f:a': {} } }],
    ]),
  )
})

test('an apply that changes nothing keeps the resourceVersion', async () => {
  const first = await apply('same', 'one', { data: { a: '1' } })
  const second = await apply('same', 'one', { data: { a: '1' } })

  expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
})

test('an apply needs a manager, and a kind', async () => {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }
  const nobody = await server.send('PATCH', `${MAPS}/x`, { body, headers: APPLY })
  const nothing = await server.send('PATCH', `${MAPS}/x?fieldManager=one`, { body: { data: {} }, headers: APPLY })
  const forced = await server.send('PATCH', `${MAPS}/x?force=true`, { body: {}, headers: MERGE })

  expect([nobody.code, nobody.body.details.causes[0].field]).toEqual([422, 'fieldManager'])
  expect([nothing.code, nothing.body.reason]).toEqual([400, 'BadRequest'])
  expect([forced.code, forced.body.details.causes[0].field]).toEqual([422, 'force'])
})
