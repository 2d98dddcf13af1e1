import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { loadKubeconfig } from '../../../src/kube/kubeconfig.ts'
import type { ApiServerOptions, EmbeddedApiServer } from '../../../src/sim/apiserver/start-api-server.ts'
import { startApiServer } from '../../../src/sim/apiserver/start-api-server.ts'
import type { RawClient } from '../../contract/raw-client.ts'
import { createRawClient, MERGE, take } from '../../contract/raw-client.ts'

const NODES = '/api/v1/nodes'
const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

async function started(options: ApiServerOptions = {}): Promise<{ server: EmbeddedApiServer; client: RawClient }> {
  const server = await startApiServer(options)
  const directory = await mkdtemp(join(tmpdir(), 'nodewave-sim-'))
  await writeFile(join(directory, 'kubeconfig'), server.kubeconfig())
  const client = await createRawClient(await loadKubeconfig(join(directory, 'kubeconfig')))
  opened.push(async () => {
    client.close()
    await server.close()
    await rm(directory, { recursive: true })
  })
  return { server, client }
}

const create = (client: RawClient, name: string) => client.send('POST', NODES, { body: { metadata: { name } } })

test('an outage refuses connections, and afterwards everything is as it was', async () => {
  const { server, client } = await started()
  await create(client, 'a')
  const { url } = server
  server.stop()
  await expect(client.send('GET', NODES)).rejects.toThrow(/ECONNREFUSED|socket hang up|ECONNRESET/)
  server.start()

  expect(server.url).toBe(url)
  expect((await client.send('GET', `${NODES}/a`)).code).toBe(200)
})

test('broken connections end watches, and new ones are taken', async () => {
  const { server, client } = await started()
  const watch = await client.watch(`${NODES}?watch=true&resourceVersion=${server.store.revision}`)
  const ended = watch.next().then(
    ({ done }) => done,
    () => true,
  )
  server.breakConnections()

  expect(await ended).toBe(true)
  expect((await client.send('GET', NODES)).code).toBe(200)
})

test('the next requests that match fail as ordered, and only so many', async () => {
  const { server, client } = await started()
  server.faults.failNext({ verb: 'patch', resource: 'nodes', code: 503, times: 2, retryAfter: 7 })
  await create(client, 'a')
  const patch = () => client.send('PATCH', `${NODES}/a`, { body: { metadata: { labels: { a: 'b' } } }, headers: MERGE })
  const answers = [await patch(), await patch(), await patch()]

  expect(answers.map(({ code }) => code)).toEqual([503, 503, 200])
  expect(answers[0]?.headers['retry-after']).toBe('7')
  expect(answers[0]?.body).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable', details: { retryAfterSeconds: 7 } })
})

test('a stalled watch stays open and says nothing, a new one works', async () => {
  const { server, client } = await started()
  const from = `${NODES}?watch=true&resourceVersion=${server.store.revision}`
  const stalled = await client.watch(from)
  server.stallWatches()
  await create(client, 'a')
  const heard: unknown[] = []
  const silent = stalled.next().then(
    ({ value }) => heard.push(value),
    () => 'cut when the server closed',
  )
  const fresh = await client.watch(from)

  expect((await take(fresh, 1))[0].object.metadata.name).toBe('a')
  expect(heard).toEqual([])
  expect(server.watchCount).toBe(2)
  server.breakConnections()
  await silent
})

test('after a compaction older watches and pages are Expired, and the page says how to go on', async () => {
  const { server, client } = await started()
  for (const name of ['a', 'b', 'c']) await create(client, name)
  const { metadata } = (await client.send('GET', `${NODES}?limit=2`)).body
  server.compact()
  const page = (await client.send('GET', `${NODES}?limit=2&continue=${metadata.continue}`)).body
  const [event] = await take(await client.watch(`${NODES}?watch=true&resourceVersion=${Number(metadata.resourceVersion) - 1}`), 1)
  const rest = (await client.send('GET', `${NODES}?limit=2&continue=${page.metadata.continue}`)).body

  expect([page.code, page.reason]).toEqual([410, 'Expired'])
  expect([event.type, event.object.code, event.object.reason]).toEqual(['ERROR', 410, 'Expired'])
  expect(rest.items.map((node: { metadata: { name: string } }) => node.metadata.name)).toEqual(['c'])
})

test('a history that is full forgets its oldest changes', async () => {
  const { server, client } = await started({ historyLimit: 2 })
  const from = server.store.revision
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(client, name)
  const [event] = await take(await client.watch(`${NODES}?watch=true&resourceVersion=${from}`), 1)

  expect(event.object.message).toMatch(new RegExp(`^too old resource version: ${from} `))
})

test('with a key and a certificate it speaks TLS, and the kubeconfig trusts it', async () => {
  const read = (name: string) => readFile(join(import.meta.dirname, '../../kube/fixtures', name), 'utf8')
  const { server, client } = await started({
    tls: {
      key: await read('server.key'),
      cert: await read('server.crt'),
      ca: await read('ca.crt'),
      serverName: 'api.example.invalid',
    },
  })

  expect(server.url).toMatch(/^https:/)
  expect((await client.send('GET', '/readyz')).text).toBe('ok')
})

test('requests are counted by verb and resource', async () => {
  const { server, client } = await started()
  await create(client, 'a')
  await client.send('GET', `${NODES}/a`)
  await client.send('GET', `${NODES}/b`)
  await client.send('GET', NODES)

  expect(server.requests.all()).toEqual({ 'create nodes': 1, 'get nodes': 2, 'list nodes': 1 })
  expect([server.requests.count({ verb: 'get' }), server.requests.count({ resource: 'nodes' })]).toEqual([2, 4])
  server.requests.reset()
  expect(server.requests.count()).toBe(0)
})

test('a pod goes when what stands in for its kubelet is done with it', async () => {
  const { promise: done, resolve: end } = Promise.withResolvers<void>()
  const { server, client } = await started({ onPodTerminating: () => done })
  const pods = '/api/v1/namespaces/default/pods'
  const spec = { nodeName: 'a', containers: [{ name: 'c', image: 'example.com/c:1' }] }
  await client.send('POST', pods, { body: { metadata: { name: 'p' }, spec } })
  const watch = await client.watch(`${pods}?watch=true&resourceVersion=${server.store.revision}`)
  await client.send('DELETE', `${pods}/p`)
  const before = await client.send('GET', `${pods}/p`)
  end()
  const events = await take(watch, 2)

  expect(before.body.metadata.deletionTimestamp).toMatch(/Z$/)
  expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED'])
})

test('a deleted namespace takes everything in it along', async () => {
  const { server, client } = await started()
  await client.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'gone' } } })
  await client.send('POST', '/api/v1/namespaces/gone/configmaps', { body: { metadata: { name: 'm' } } })
  const { body } = await client.send('DELETE', '/api/v1/namespaces/gone')

  expect(body.status).toEqual({ phase: 'Terminating' })
  expect([server.store.list('configmaps'), server.store.get('namespaces', 'gone')]).toEqual([[], undefined])
})

test('a watch hears of a budget before it hears of the status that the server computed for it', async () => {
  const { server, client } = await started()
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
  const watch = await client.watch(`${budgets}?watch=true&resourceVersion=${server.store.revision}`)
  await client.send('POST', budgets, { body: { metadata: { name: 'b' }, spec: { minAvailable: 1 } } })

  expect((await take(watch, 2)).map(({ type, object }) => `${type} ${object.status.observedGeneration ?? 'not yet'}`)).toEqual([
    'ADDED not yet',
    'MODIFIED 1',
  ])
})

test('stamps come from the clock that is given', async () => {
  const { client } = await started({ now: () => Date.parse('2030-01-02T03:04:05.678Z') })

  expect((await create(client, 'a')).body.metadata.creationTimestamp).toBe('2030-01-02T03:04:05Z')
})

test('server keeps its port during an outage, so that nobody takes it', async () => {
  const { server, client } = await started()
  server.stop()
  const taking = createServer().listen(Number(new URL(server.url).port), '127.0.0.1')
  const [taken] = await once(taking, 'error')
  server.start()

  expect(taken.code).toBe('EADDRINUSE')
  expect((await client.send('GET', NODES)).code).toBe(200)
})
