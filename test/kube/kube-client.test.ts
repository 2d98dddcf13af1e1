import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Connection } from '../../src/kube/connection.ts'
import { KubeError } from '../../src/kube/kube-api.ts'
import { createKubeClient, type KubeClientOptions } from '../../src/kube/kube-client.ts'
import { ManualTimers } from './manual-timers.ts'
import { type Answer, json, listOf, refusal, scriptedServer } from './scripted-server.ts'

const NODE = '/api/v1/nodes/a'

async function startClient(answers: readonly Answer[], options: KubeClientOptions & Partial<Connection> = {}) {
  const server = await scriptedServer(answers)
  const { credentials = async () => ({}), ...rest } = options
  const client = createKubeClient({ server: server.url, credentials }, rest)
  return { server, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function errorOf(promise: Promise<unknown>): Promise<KubeError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof KubeError) return error
  throw new Error('expected a KubeError', { cause: error })
}

test('patch sends a merge patch with the query it was given', async () => {
  await using it = await startClient([json({ metadata: { name: 'a' } })])
  expect(await it.client.patch(NODE, { spec: { unschedulable: true } }, { query: { fieldManager: 'nodewave' } })).toEqual({
    metadata: { name: 'a' },
  })
  expect(it.server.received[0]).toMatchObject({ method: 'PATCH', body: '{"spec":{"unschedulable":true}}' })
  expect(it.server.received[0]?.url.href).toBe('http://server/api/v1/nodes/a?fieldManager=nodewave')
  expect(it.server.received[0]?.headers['content-type']).toBe('application/merge-patch+json')
})

test.for([
  ['json', 'application/json-patch+json'],
  ['strategic', 'application/strategic-merge-patch+json'],
  ['apply', 'application/apply-patch+yaml'],
] as const)('patch names its content type when it is of type %s', async ([type, expected]) => {
  await using it = await startClient([json({})])
  await it.client.patch(NODE, {}, { type })
  expect(it.server.received[0]?.headers['content-type']).toBe(expected)
})

test('create, replace, get and delete use the method that the API reference gives them', async () => {
  await using it = await startClient([json({})])
  await it.client.create('/api/v1/nodes', { kind: 'Node' })
  await it.client.replace(NODE, { kind: 'Node' })
  await it.client.get(NODE)
  await it.client.delete(NODE, { body: { gracePeriodSeconds: 0 } })
  expect(it.server.received.map(({ method, body }) => `${method} ${body}`)).toEqual([
    'POST {"kind":"Node"}',
    'PUT {"kind":"Node"}',
    'GET ',
    'DELETE {"gracePeriodSeconds":0}',
  ])
})

test('a request goes below the path of the server when it has one', async () => {
  await using server = await scriptedServer([json({})])
  const client = createKubeClient({ server: `${server.url}/k8s/clusters/c-1`, credentials: async () => ({}) })
  await client.get(NODE)
  expect(server.received[0]?.url.pathname).toBe('/k8s/clusters/c-1/api/v1/nodes/a')
})

test('requests share one connection when they follow each other, and run at the same time when they come together', async () => {
  await using it = await startClient([json({})])
  for (let n = 0; n < 5; n++) await it.client.get(NODE)
  expect(it.server.connections()).toBe(1)

  const open: (() => void)[] = []
  const allCame = Promise.withResolvers<void>()
  const held: Answer = (response) => {
    open.push(() => response.end('{}'))
    if (open.length === 50) allCame.resolve()
  }
  await using burst = await startClient([held])
  const answers = Array.from({ length: 50 }, () => burst.client.get(NODE))
  await allCame.promise
  for (const end of open) end()
  expect((await Promise.all(answers)).length).toBe(50)
})

test.for([
  [404, 'NotFound', 'refuse'],
  [409, 'Conflict', 'conflict'],
  [409, 'AlreadyExists', 'conflict'],
  [422, 'Invalid', 'refuse'],
  [500, 'InternalError', 'retry'],
] as const)('a request fails with the reason and reaction when the server answers %i %s', async ([code, reason, reaction]) => {
  await using it = await startClient([refusal(code, reason, 'nodes "a" …')])
  const error = await errorOf(it.client.get(NODE))
  expect(error).toMatchObject({ message: `failed to get "/api/v1/nodes/a": nodes "a" … (${code})`, code, reason, reaction })
})

test('a request fails with what a proxy said when the answer is not a Status', async () => {
  await using it = await startClient([(response) => response.writeHead(503, { 'retry-after': '2' }).end('no healthy upstream')])
  expect(await errorOf(it.client.get(NODE))).toMatchObject({
    message: 'failed to get "/api/v1/nodes/a": no healthy upstream (503)',
    reason: 'ServiceUnavailable',
    retryAfter: 2,
  })
})

test('a request fails as unreadable when the answer is not JSON', async () => {
  await using it = await startClient([(response) => response.end('<html>')])
  expect(await errorOf(it.client.get(NODE))).toMatchObject({ code: 0, reason: 'Unreadable', reaction: 'retry' })
})

test('a request fails as unreadable when the answer is larger than 64 MiB', async () => {
  const flood: Answer = (response) => {
    const more = () => {
      while (response.write(Buffer.alloc(1024 * 1024))) {}
    }
    response.on('drain', more)
    more()
  }
  await using it = await startClient([flood])
  expect((await errorOf(it.client.get(NODE))).message).toBe(
    'failed to get "/api/v1/nodes/a": the answer is larger than 67108864 bytes',
  )
})

test('a request fails as unreachable when nobody listens', async () => {
  const server = await scriptedServer([])
  await server[Symbol.asyncDispose]()
  const client = createKubeClient({ server: server.url, credentials: async () => ({}) })
  expect(await errorOf(client.get(NODE))).toMatchObject({ code: 0, reason: 'Unreachable', reaction: 'retry' })
})

test('a request fails when the connection breaks in the middle of the answer', async () => {
  await using it = await startClient([(response) => response.write('{"metadata":', () => response.socket?.destroy())])
  expect(await errorOf(it.client.get(NODE))).toMatchObject({ code: 0, reason: 'Unreachable' })
})

test.for(['before', 'in the middle of'] as const)(
  'a request fails as timed out when nothing comes %s the answer',
  async (when) => {
    const timers = new ManualTimers()
    const came = Promise.withResolvers<void>()
    const answer: Answer = (response) => {
      if (when === 'in the middle of') response.write('{')
      came.resolve()
    }
    await using it = await startClient([answer], { timers })
    const request = it.client.get(NODE, { timeout: 5000 })
    await came.promise
    timers.advance(5000)
    expect(await errorOf(request)).toMatchObject({
      message: 'failed to get "/api/v1/nodes/a": no answer within 5000 ms',
      reason: 'Timeout',
    })
  },
)

test('a request fails with the reason of the signal when it is aborted', async () => {
  const came = Promise.withResolvers<void>()
  await using it = await startClient([() => came.resolve()])
  const stop = new AbortController()
  const request = it.client.get(NODE, { signal: stop.signal })
  await came.promise
  stop.abort(new Error('shutting down'))
  await expect(request).rejects.toThrow('shutting down')
  await expect(it.client.get(NODE, { signal: stop.signal })).rejects.toThrow('shutting down')
})

test('a request is sent again when the kept connection had been closed, but a create is not', async () => {
  const closing: Answer = (response) => response.socket?.destroy()
  await using it = await startClient([json({}), closing, json({ n: 1 }), closing])
  await it.client.get(NODE)
  expect(await it.client.patch(NODE, {})).toEqual({ n: 1 })
  expect(await errorOf(it.client.create('/api/v1/nodes', {}))).toMatchObject({ reason: 'Unreachable' })
  expect(it.server.received.length).toBe(4)
})

test('a request is sent again with new credentials when the old ones are refused', async () => {
  const credentials: Connection['credentials'] = async (options) => ({ token: options?.refused ? 'new' : 'old' })
  await using it = await startClient([refusal(401, 'Unauthorized'), json({ n: 1 })], { credentials })
  expect(await it.client.get(NODE)).toEqual({ n: 1 })
  expect(it.server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new'])
})

test('a request fails when its credentials are refused and there are no others', async () => {
  await using it = await startClient([refusal(401, 'Unauthorized')], { credentials: async () => ({ token: 'only' }) })
  expect(await errorOf(it.client.get(NODE))).toMatchObject({ code: 401, reason: 'Unauthorized', reaction: 'refuse' })
  expect(it.server.received.length).toBe(1)
})

test('list reads page after page and keeps only what is projected', async () => {
  await using it = await startClient([listOf(['a', 'b'], '5', 'more'), listOf(['c'], '5')])
  const { items, resourceVersion } = await it.client.list('/api/v1/nodes', { project: ({ metadata }) => metadata.name, limit: 2 })
  expect({ items, resourceVersion }).toEqual({ items: ['a', 'b', 'c'], resourceVersion: '5' })
  expect(it.server.received[1]?.url.search).toBe('?limit=2&continue=more')
})

test('list starts again when the server forgets the snapshot in the middle, and gives up after three starts', async () => {
  const pages = [listOf(['old'], '5', 'more'), refusal(410, 'Expired'), listOf(['a'], '9')]
  await using it = await startClient(pages)
  expect((await it.client.list('/api/v1/nodes', { project: ({ metadata }) => metadata.name })).items).toEqual(['a'])

  await using sick = await startClient([refusal(410, 'Expired')])
  expect(await errorOf(sick.client.list('/api/v1/nodes', { project: () => 0 }))).toMatchObject({ code: 410 })
  expect(sick.server.received.length).toBe(3)
})

test('list fails as unreadable when the answer is no list', async () => {
  await using it = await startClient([json({ kind: 'Node' })])
  expect(await errorOf(it.client.list('/api/v1/nodes', { project: () => 0 }))).toMatchObject({ reason: 'Unreadable' })
})

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
const tls = {
  key: fixture('server.key'),
  cert: fixture('server.crt'),
  ca: fixture('ca.crt'),
  requestCert: true,
  rejectUnauthorized: true,
}

test('a request proves itself by the client certificate of the moment, and knows the server by the name it was told', async () => {
  let subject: string | undefined
  const answer: Answer = (response) => {
    subject = Object(response.socket).getPeerCertificate().subject.CN
    response.end('{}')
  }
  await using server = await scriptedServer([answer], tls)
  let name = 'client-a'
  const credentials = async () => ({ ca: fixture('ca.crt'), cert: fixture(`${name}.crt`), key: fixture(`${name}.key`) })
  const client = createKubeClient({ server: server.url, tlsServerName: 'api.example.invalid', credentials })
  await client.get(NODE)
  expect(subject).toBe('system:node:a')
  name = 'client-b'
  await client.get(NODE)
  expect(subject).toBe('system:node:b')
})

test('a request fails when the certificate of the server is of another authority or another name', async () => {
  await using server = await scriptedServer([json({})], { ...tls, requestCert: false })
  const strange = createKubeClient({ server: server.url, tlsServerName: 'api.example.invalid', credentials: async () => ({}) })
  expect((await errorOf(strange.get(NODE))).message).toBe(
    'failed to get "/api/v1/nodes/a": self-signed certificate in certificate chain',
  )
  const misnamed = createKubeClient({ server: server.url, credentials: async () => ({ ca: fixture('ca.crt') }) })
  expect(await errorOf(misnamed.get(NODE))).toMatchObject({
    reason: 'Unreachable',
    cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  })
  const careless = createKubeClient({ server: server.url, insecureSkipTlsVerify: true, credentials: async () => ({}) })
  expect(await careless.get(NODE)).toEqual({})
})
