import { expect, test } from 'vitest'
import type { FollowEvent, KubeObject } from '../../../src/kube/kube-api.ts'
import { createCore } from '../../../src/sim/apiserver/create-core.ts'
import { inProcessClient } from '../../../src/sim/apiserver/in-process-client.ts'

const NODES = '/api/v1/nodes'

function aClient() {
  return inProcessClient(createCore({ now: () => Date.UTC(2026, 10, 21) }))
}

test('client answers as the server would, with its refusals', async () => {
  const kube = aClient()
  const { metadata } = await kube.create<KubeObject>(NODES, { metadata: { name: 'n0', labels: { role: 'worker' } } })
  await kube.patch(`${NODES}/n0`, { metadata: { annotations: { a: 'b' } } })
  expect((await kube.get<KubeObject>(`${NODES}/n0`)).metadata).toMatchObject({
    annotations: { a: 'b' },
    labels: { role: 'worker' },
  })
  const late = { metadata: { resourceVersion: metadata.resourceVersion, annotations: { a: 'c' } } }
  await expect(kube.patch(`${NODES}/n0`, late)).rejects.toMatchObject({ code: 409, reason: 'Conflict' })
  await expect(kube.get(`${NODES}/n1`)).rejects.toMatchObject({ code: 404, reason: 'NotFound' })
  expect(await kube.get('/version')).toMatchObject({ gitVersion: 'v1.36.3' })
  await expect(kube.get('/api/v1/things')).rejects.toMatchObject({ code: 404, reason: 'NotFound' })
})

test('client lists and follows what its selectors select, in the order of the writes', async () => {
  const kube = aClient()
  for (const name of ['n0', 'n1']) await kube.create(NODES, { metadata: { name, labels: { role: name } } })
  const ending = new AbortController()
  const events: string[] = []
  const follow = async (): Promise<void> => {
    const options = { project: ({ metadata }: KubeObject) => metadata.name, labelSelector: 'role=n0', signal: ending.signal }
    for await (const event of kube.follow(NODES, options)) {
      events.push(told(event))
      if (event.type === 'delete') ending.abort()
    }
  }
  const followed = follow()
  await kube.patch(`${NODES}/n1`, { metadata: { annotations: { a: 'b' } } })
  await kube.patch(`${NODES}/n0`, { metadata: { annotations: { a: 'b' } } })
  await kube.patch(`${NODES}/n0`, { metadata: { labels: { role: 'other' } } })
  await followed
  expect(events).toEqual(['sync n0', 'upsert n0', 'delete n0'])
  expect((await kube.list(NODES, { project: ({ metadata }) => metadata.name, fieldSelector: 'metadata.name=n1' })).items).toEqual(
    ['n1'],
  )
})

function told(event: FollowEvent<string>): string {
  if (event.type === 'sync') return `sync ${event.items.join()}`
  return event.type === 'upsert' ? `upsert ${event.item}` : `delete ${event.name}`
}

test('client sends what JSON carries of an object, and what is changed in it afterwards is not sent', async () => {
  const kube = aClient()
  const labels: Record<string, string | undefined> = { role: 'worker', zone: undefined }
  await kube.create(NODES, { metadata: { name: 'n0', labels } })
  labels.role = 'other'
  expect((await kube.get<KubeObject>(`${NODES}/n0`)).metadata.labels).toEqual({ role: 'worker' })
  const images = [{ names: ['a'] }, undefined, { names: ['b'], sizeBytes: Number.NaN }]
  await expect(kube.patch(`${NODES}/n0/status`, { status: { images } })).resolves.toMatchObject({
    status: { images: [{ names: ['a'] }, null, { names: ['b'] }] },
  })
})
