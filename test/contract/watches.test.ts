import { expect, test } from 'vitest'
import type { Body } from './raw-client.ts'
import { brief, MERGE, PARTIAL, TABLE, take } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const MAPS = `/api/v1/namespaces/${server.namespace}/configmaps`

const create = (name: string, labels: Record<string, string> = {}) =>
  server.send('POST', MAPS, { body: { metadata: { name, labels } } })
const label = (name: string, labels: Record<string, string | null>) =>
  server.send('PATCH', `${MAPS}/${name}`, { body: { metadata: { labels } }, headers: MERGE })
const revisionNow = async () => (await server.send('GET', MAPS)).body.metadata.resourceVersion as string
const watch = (query: string, headers: Record<string, string> = {}) => server.watch(`${MAPS}?watch=true&${query}`, headers)

test('a watch from a revision tells what happened since, in order', async () => {
  const since = await revisionNow()
  await create('told')
  await label('told', { a: '1' })
  await server.send('DELETE', `${MAPS}/told`)
  const events = await take(await watch(`resourceVersion=${since}`), 3)

  expect(events.map(brief)).toEqual(['ADDED told', 'MODIFIED told', 'DELETED told'])
  const revisions = events.map((event) => Number(event.object.metadata.resourceVersion))
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
  expect(events[2].object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { labels: { a: '1' } } })
})

test('a watch goes on with what happens after it began', async () => {
  const events = await watch(`resourceVersion=${await revisionNow()}`)
  await create('later')

  expect(brief((await take(events, 1))[0])).toBe('ADDED later')
})

test('a watch without a revision begins with what there is', async () => {
  await create('existing')

  expect((await take(await watch('fieldSelector=metadata.name%3Dexisting'), 1)).map(brief)).toEqual(['ADDED existing'])
})

test('an object that begins to match is ADDED, one that ceases is DELETED as it last matched', async () => {
  const events = await watch(`resourceVersion=${await revisionNow()}&labelSelector=tier%3Dgold`)
  await create('moving')
  await label('moving', { tier: 'gold' })
  await label('moving', { other: 'x' })
  const left = await label('moving', { tier: 'silver' })
  const seen = await take(events, 3)

  expect(seen.map(brief)).toEqual(['ADDED moving', 'MODIFIED moving', 'DELETED moving'])
  expect(seen[2].object.metadata.labels).toEqual({ tier: 'gold', other: 'x' })
  expect(seen[2].object.metadata.resourceVersion).toBe(left.body.metadata.resourceVersion)
})

test('a write that changes nothing is not told', async () => {
  await create('still', { a: '1' })
  const events = await watch(`resourceVersion=${await revisionNow()}&fieldSelector=metadata.name%3Dstill`)
  await label('still', { a: '1' })
  await label('still', { a: '2' })

  expect((await take(events, 1))[0].object.metadata.labels).toEqual({ a: '2' })
})

test('a bookmark before the time is up carries the watch past what does not concern it', async () => {
  const from = await revisionNow()
  // The server bookmarks what it has heard since the watch began, two seconds before its end: the write must come in between.
  const watching = await watch(`resourceVersion=${from}&labelSelector=none%3Dof-them&allowWatchBookmarks=true&timeoutSeconds=8`)
  const written = (await create('unconcerned')).body.metadata.resourceVersion
  const events = await collect(watching)

  const { object } = events.at(-1)
  expect(new Set(events.map(brief))).toEqual(new Set(['BOOKMARK']))
  expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' })
  expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(written))
})

test('initial events end with a marked bookmark, and the watch goes on', async () => {
  await create('first', { streamed: 'yes' })
  const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=streamed%3Dyes'
  const events = await watch(query)
  const initial = await take(events, 2)
  await create('second', { streamed: 'yes' })
  const next = await take(events, 1)

  expect([...initial, ...next].map(brief)).toEqual(['ADDED first', 'BOOKMARK', 'ADDED second'])
  expect(initial[1].object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
})

test('initial events need resourceVersionMatch=NotOlderThan', async () => {
  const { code, body } = await server.send('GET', `${MAPS}?watch=true&sendInitialEvents=true`)

  expect([code, body.message]).toEqual([
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  ])
})

test('watches come as tables and as partial metadata too', async () => {
  await create('shaped', { a: '1' })
  const query = 'fieldSelector=metadata.name%3Dshaped'
  const [table] = await take(await watch(query, TABLE), 1)
  const [partial] = await take(await watch(query, PARTIAL), 1)

  expect([table.type, table.object.kind, table.object.rows[0].cells.slice(0, 2)]).toEqual(['ADDED', 'Table', ['shaped', 0]])
  expect(partial.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'shaped', labels: { a: '1' } } })
})

test('a revision that is no number ends the watch before it begins', async () => {
  const { code, body } = await server.send('GET', `${MAPS}?watch=true&resourceVersion=abc`)

  expect([code, body.message]).toEqual([
    500,
    'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  ])
})

async function collect(events: AsyncIterator<Body>): Promise<Body[]> {
  const all: Body[] = []
  for (let next = await events.next(); !next.done; next = await events.next()) all.push(next.value)
  return all
}
