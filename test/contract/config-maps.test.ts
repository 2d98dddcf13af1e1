import { expect, test } from 'vitest'
import { MERGE, TABLE } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const MAPS = `/api/v1/namespaces/${server.namespace}/configmaps`

const create = (body: object, query = '') => server.send('POST', `${MAPS}${query}`, { body })
const patch = (name: string, body: object, query = '') =>
  server.send('PATCH', `${MAPS}/${name}${query}`, { body, headers: MERGE })

test('an immutable ConfigMap keeps its data, and stays immutable', async () => {
  await create({ metadata: { name: 'fixed' }, data: { a: '1' }, immutable: true })
  const because = 'Forbidden: field is immutable when `immutable` is set'

  const changed = await patch('fixed', { data: { a: '2' } })
  const freed = await patch('fixed', { immutable: false })

  expect(changed.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `ConfigMap "fixed" is invalid: data: ${because}`,
    reason: 'Invalid',
    details: { name: 'fixed', kind: 'ConfigMap', causes: [{ reason: 'FieldValueForbidden', message: because, field: 'data' }] },
    code: 422,
  })
  expect(freed.body.details.causes).toEqual([{ reason: 'FieldValueForbidden', message: because, field: 'immutable' }])
})

test('an immutable ConfigMap can be labelled and deleted', async () => {
  await create({ metadata: { name: 'labelled' }, data: { a: '1' }, immutable: true })

  expect((await patch('labelled', { metadata: { labels: { a: 'b' } } })).code).toBe(200)
  expect((await server.send('DELETE', `${MAPS}/labelled`)).code).toBe(200)
})

test('generateName makes a name of five more letters', async () => {
  const { code, body } = await create({ metadata: { generateName: 'made-' } })

  expect(code).toBe(201)
  expect(body.metadata.name).toMatch(/^made-[a-z0-9]{5}$/)
  expect(body.metadata.generateName).toBe('made-')
})

test('a dry run answers as the real one would, and stores nothing', async () => {
  const created = await create({ metadata: { name: 'dry' }, data: { a: '1' } }, '?dryRun=All')
  await create({ metadata: { name: 'wet' }, data: { a: '1' } })
  const patched = await patch('wet', { data: { a: '2' } }, '?dryRun=All')
  const deleted = await server.send('DELETE', `${MAPS}/wet?dryRun=All`)

  expect([created.code, patched.code, deleted.code]).toEqual([201, 200, 200])
  expect(patched.body.data).toEqual({ a: '2' })
  expect((await server.send('GET', `${MAPS}/dry`)).code).toBe(404)
  expect((await server.send('GET', `${MAPS}/wet`)).body.data).toEqual({ a: '1' })
})

test('a finalizer holds the object until it is taken away', async () => {
  await create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } })
  const deleted = await server.send('DELETE', `${MAPS}/held`)
  const there = await server.send('GET', `${MAPS}/held`)
  const freed = await patch('held', { metadata: { finalizers: null } })

  expect(deleted.body).toMatchObject({ kind: 'ConfigMap', metadata: { deletionGracePeriodSeconds: 0 } })
  expect(there.body.metadata.deletionTimestamp).toMatch(/Z$/)
  expect(freed.code).toBe(200)
  expect((await server.send('GET', `${MAPS}/held`)).code).toBe(404)
})

test('a key that is no file name, and data above 1 MiB, are Invalid', async () => {
  const key = await create({ metadata: { name: 'x' }, data: { 'a key': '1' } })
  const large = await create({ metadata: { name: 'x' }, data: { a: 'x'.repeat(1024 * 1024 + 1) } })

  expect([key.code, key.body.details.causes[0].field]).toEqual([422, 'data[a key]'])
  expect([large.code, large.body.details.causes[0].reason]).toEqual([422, 'FieldValueTooLong'])
})

test('the table counts the entries', async () => {
  await create({ metadata: { name: 'counted' }, data: { a: '1', b: '2' }, binaryData: { c: 'YQ==' } })
  const { body } = await server.send('GET', `${MAPS}/counted`, { headers: TABLE })

  expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Data', 'Age'])
  expect(body.rows[0].cells.slice(0, 2)).toEqual(['counted', 3])
})

test('a replacement without a resourceVersion wins over whatever is there', async () => {
  await create({ metadata: { name: 'replaced', labels: { a: 'b' } }, data: { a: '1' } })
  const { code, body } = await server.send('PUT', `${MAPS}/replaced`, {
    body: { metadata: { name: 'replaced' }, data: { b: '2' } },
  })

  expect(code).toBe(200)
  expect([body.data, body.metadata.labels]).toEqual([{ b: '2' }, undefined])
})

test('YAML is read as JSON is', async () => {
  const headers = { 'content-type': 'application/yaml' }
  const { code, body } = await server.send('POST', MAPS, { body: 'metadata:\n  name: yaml\ndata:\n  a: "1"\n', headers })

  expect([code, body.data]).toEqual([201, { a: '1' }])
})
