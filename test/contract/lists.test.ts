import { expect, test } from 'vitest'
import { namesOf, PARTIAL, PARTIAL_LIST, TABLE } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const MAPS = `/api/v1/namespaces/${server.namespace}/configmaps`

for (const [name, size] of Object.entries({ a: 'small', b: 'small', c: 'large', d: 'large', e: 'large' }))
  await server.send('POST', MAPS, { body: { metadata: { name, labels: { size, [`is-${name}`]: '' } }, data: { name } } })

const list = (query: string, headers: Record<string, string> = {}) =>
  server.send('GET', `${MAPS}?${new URLSearchParams(query)}`, { headers })
const selected = async (labelSelector: string) => namesOf((await list(`labelSelector=${encodeURIComponent(labelSelector)}`)).body)
const problem = async (query: string) => {
  const { code, body } = await list(query)
  return `${code} ${body.message}`
}

test('a list is in the order of names, its items without kind', async () => {
  const { body } = await list('')

  expect(body).toMatchObject({
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
  })
  expect(namesOf(body)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(Object.keys(body.items[0]).sort()).toEqual(['data', 'metadata'])
})

test('label selectors choose by value, set and presence', async () => {
  expect(await selected('size=small')).toEqual(['a', 'b'])
  expect(await selected('size==small,is-b')).toEqual(['b'])
  expect(await selected('size!=small')).toEqual(['c', 'd', 'e'])
  expect(await selected('size in (small,other),!is-a')).toEqual(['b'])
  expect(await selected('size notin (small)')).toEqual(['c', 'd', 'e'])
  expect(await selected('none')).toEqual([])
})

test('field selectors choose by name, and refuse other fields', async () => {
  expect(namesOf((await list('fieldSelector=metadata.name=b')).body)).toEqual(['b'])
  expect(namesOf((await list('fieldSelector=metadata.name!=b')).body)).toEqual(['a', 'c', 'd', 'e'])
  expect(await problem('fieldSelector=data.name=b')).toBe(
    '400 "data.name" is not a known field selector: only "metadata.name", "metadata.namespace"',
  )
  expect((await server.send('GET', '/api/v1/nodes?fieldSelector=spec.nonsense%3D1')).body.message).toBe(
    'field label not supported: spec.nonsense',
  )
})

test('selectors that cannot be read are a BadRequest', async () => {
  expect((await list('labelSelector=a===b')).body.reason).toBe('BadRequest')
  expect((await list('labelSelector=a in b')).body.reason).toBe('BadRequest')
  expect((await list('fieldSelector=metadata.name')).body.reason).toBe('BadRequest')
})

test('pages show the list as it was at the first, whatever is written meanwhile', async () => {
  const first = (await list('limit=2')).body
  await server.send('POST', MAPS, { body: { metadata: { name: 'aa' } } })
  await server.send('DELETE', `${MAPS}/aa`)
  const second = (await list(`limit=2&continue=${first.metadata.continue}`)).body
  const third = (await list(`limit=2&continue=${second.metadata.continue}`)).body

  expect([first, second, third].map(namesOf)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
  expect([first, second, third].map(({ metadata }) => metadata.remainingItemCount)).toEqual([3, 1, undefined])
  expect(new Set([first, second, third].map(({ metadata }) => metadata.resourceVersion)).size).toBe(1)
  expect(third.metadata.continue).toBeUndefined()
})

test('a page of a selection does not say how much is left', async () => {
  const { metadata } = (await list('limit=2&labelSelector=size=large')).body

  expect(metadata.continue).toMatch(/./)
  expect(metadata.remainingItemCount).toBeUndefined()
})

test('a list at revision 0 comes whole, whatever the limit', async () => {
  // Revision 0 is whatever the server has in its cache, so that has to be this much first.
  const { metadata } = (await list('')).body
  await list(`resourceVersion=${metadata.resourceVersion}`)
  const { body } = await list('limit=2&resourceVersion=0')

  expect(namesOf(body)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(body.metadata.continue).toBeUndefined()
})

test('a revision from the future is a Timeout that says when to come again', async () => {
  const { code, headers, body } = await list('resourceVersion=999999999')

  expect(code).toBe(504)
  expect(headers['retry-after']).toBe('1')
  expect(body).toMatchObject({
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
  })
})

test('parameters that contradict each other are refused', async () => {
  const first = (await list('limit=2')).body
  const forbidden = '422 ListOptions.meta.k8s.io "" is invalid: '

  expect(await problem(`continue=${first.metadata.continue}&resourceVersion=5`)).toBe(
    '400 specifying resource version is not allowed when using continue',
  )
  expect(await problem('resourceVersionMatch=Exact')).toBe(
    `${forbidden}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
  )
  expect(await problem('resourceVersion=0&resourceVersionMatch=Exact')).toBe(
    `${forbidden}resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
  )
  expect(await problem('sendInitialEvents=true')).toBe(
    `${forbidden}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
  )
  expect(await problem('resourceVersion=abc')).toBe(
    '400 invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  )
  expect((await list('continue=nonsense')).body.reason).toBe('BadRequest')
})

test('lists come as tables and as partial metadata too', async () => {
  const table = (await list('labelSelector=size=small', TABLE)).body
  const partial = (await list('labelSelector=size=small', PARTIAL_LIST)).body

  expect(table.rows.map(({ cells }: { cells: unknown[] }) => cells[0])).toEqual(['a', 'b'])
  expect(partial).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' })
  expect(namesOf(partial)).toEqual(['a', 'b'])
  expect(partial.items[0].data).toBeUndefined()
  expect((await list('', PARTIAL)).code).toBe(406)
})

test('the deletion of a collection answers with what it deleted', async () => {
  for (const name of ['x', 'y']) await server.send('POST', MAPS, { body: { metadata: { name, labels: { doomed: 'yes' } } } })
  const { body } = await server.send('DELETE', `${MAPS}?labelSelector=doomed%3Dyes`)

  expect([body.kind, namesOf(body)]).toEqual(['ConfigMapList', ['x', 'y']])
  expect(await selected('doomed=yes')).toEqual([])
})
