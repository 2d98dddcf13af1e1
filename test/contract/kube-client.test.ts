import { expect, test } from 'vitest'
import type { FollowEvent, KubeError } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const client = createKubeClient(server.connection)
const MAPS = `/api/v1/namespaces/${server.namespace}/configmaps`

const nameOf = (object: { readonly metadata: { readonly name: string } }) => object.metadata.name
const create = (name: string, labels: Record<string, string> = {}) => client.create(MAPS, { metadata: { name, labels } })
const refusal = async (request: Promise<unknown>) => {
  const { code, reason, reaction } = await request.then(
    () => ({ code: 0, reason: 'not refused', reaction: 'none' }),
    (error: KubeError) => error,
  )
  return `${code} ${reason} ${reaction}`
}

test('the client creates, reads, patches, replaces and deletes', async () => {
  await client.create(MAPS, { metadata: { name: 'whole' }, data: { a: '1' } })
  const patched = await client.patch<{ data: object }>(`${MAPS}/whole`, { data: { b: '2' } })
  const replaced = await client.replace<{ data: object }>(`${MAPS}/whole`, { metadata: { name: 'whole' }, data: { c: '3' } })
  await client.delete(`${MAPS}/whole`)

  expect([patched.data, replaced.data]).toEqual([{ a: '1', b: '2' }, { c: '3' }])
  expect(await refusal(client.get(`${MAPS}/whole`))).toBe('404 NotFound refuse')
})

test('the client patches in all four ways', async () => {
  await create('ways')
  const labels = async (body: unknown, type: 'merge' | 'json' | 'strategic' | 'apply', query: Record<string, string> = {}) =>
    (await client.patch<{ metadata: { labels: object } }>(`${MAPS}/ways`, body, { type, query })).metadata.labels
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ways', labels: { d: '4' } } }

  expect(await labels({ metadata: { labels: { a: '1' } } }, 'merge')).toEqual({ a: '1' })
  expect(await labels([{ op: 'add', path: '/metadata/labels/b', value: '2' }], 'json')).toEqual({ a: '1', b: '2' })
  expect(await labels({ metadata: { labels: { c: '3' } } }, 'strategic')).toEqual({ a: '1', b: '2', c: '3' })
  expect(await labels(applied, 'apply', { fieldManager: 'contract' })).toEqual({ a: '1', b: '2', c: '3', d: '4' })
})

test('refusals come with what can be done about them', async () => {
  await create('refused')
  const stale = { metadata: { name: 'refused', resourceVersion: '1' } }

  expect(await refusal(create('refused'))).toBe('409 AlreadyExists conflict')
  expect(await refusal(client.replace(`${MAPS}/refused`, stale))).toBe('409 Conflict conflict')
  expect(await refusal(client.create(MAPS, { metadata: { name: 'Not A Name' } }))).toBe('422 Invalid refuse')
  expect(await refusal(client.list(MAPS, { project: nameOf, fieldSelector: 'spec.x=1' }))).toBe('400 BadRequest refuse')
})

test('a list of several pages is one list', async () => {
  for (const name of ['p1', 'p2', 'p3', 'p4', 'p5']) await create(name, { paged: 'yes' })
  const { items, resourceVersion } = await client.list(MAPS, { project: nameOf, labelSelector: 'paged=yes', limit: 2 })

  expect(items).toEqual(['p1', 'p2', 'p3', 'p4', 'p5'])
  expect(resourceVersion).toMatch(/^\d+$/)
})

test('following a collection tells what there is, and then every change', async () => {
  await create('f1', { followed: 'yes' })
  const stop = new AbortController()
  const events = client
    .follow(MAPS, { project: nameOf, labelSelector: 'followed=yes', signal: stop.signal })
    [Symbol.asyncIterator]()
  const next = async () => (await events.next()).value as FollowEvent<string>

  expect(await next()).toMatchObject({ type: 'sync', items: ['f1'] })
  await create('f2', { followed: 'yes' })
  expect(await next()).toEqual({ type: 'upsert', item: 'f2' })
  await client.delete(`${MAPS}/f1`)
  expect(await next()).toMatchObject({ type: 'delete', name: 'f1', namespace: server.namespace })
  stop.abort()
})
