import { once } from 'node:events'
import { createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { type DashboardSource, startDashboard } from '../../src/dashboard/dashboard-server.ts'
import { type GatewayOptions, startGateway } from '../../src/dashboard/gateway.ts'
import { nodeCommands, poolCommands } from '../../src/dashboard/page/commands.js'
import { type PageAction, pageActionSchema } from '../../src/dashboard/page-action.ts'

const KEY = 'k'.repeat(32)
const SOURCE: DashboardSource = {
  fleet: () => ({ pools: [] }),
  node: (name) => (name === 'n1' ? [['pool', 'workers']] : undefined),
  plan: () => Promise.reject(new Error('away')),
  changes: () => Promise.resolve(undefined),
}

interface Sent {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A gateway to the page of a controller. */
async function aGateway({ isReadOnly = false, ...more }: Partial<GatewayOptions> & { readonly isReadOnly?: boolean } = {}) {
  const acted: PageAction[] = []
  const dashboard = await startDashboard({ port: 0, source: SOURCE })
  const gateway = await startGateway({
    port: 0,
    key: KEY,
    connect: async () => connect(dashboard.port, '127.0.0.1'),
    ...(!isReadOnly && {
      act: async (action) => {
        acted.push(action)
        return { isDone: true, text: 'done' }
      },
    }),
    session: { user: 'grace', cluster: 'https://192.0.2.10:6443' },
    ...more,
  })
  onTestFinished(async () => {
    await gateway[Symbol.asyncDispose]()
    await dashboard[Symbol.asyncDispose]()
  })
  const send = ({ path, method = 'GET', headers = {}, body = '' }: Sent) =>
    new Promise<readonly [number | undefined, string]>((resolve, reject) => {
      const all = { host: 'localhost', ...headers }
      const sent = request({ host: '127.0.0.1', port: gateway.port, path, method, headers: all }, (response) => {
        textOf(response).then((text) => resolve([response.statusCode, text]), reject)
      })
      sent.on('error', reject).end(body)
    })
  const act = (action: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send({
      path: '/actions',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-nodewave-key': KEY, ...headers },
      body: JSON.stringify(action),
    })
  return { send, act, acted, port: gateway.port }
}

test('the gateway serves the page itself, and what the controller knows', async () => {
  const { send, port } = await aGateway()
  expect((await send({ path: '/' }))[0]).toBe(200)
  expect(await send({ path: '/nodes/n1' })).toEqual([200, '[["pool","workers"]]'])
  expect((await send({ path: '/nodes/n2' }))[0]).toBe(404)
  expect((await send({ path: '/plans/workers' }))[0]).toBe(500)
  const abort = new AbortController()
  const events = await fetch(`http://127.0.0.1:${port}/events`, { signal: abort.signal })
  const { value } = (await events.body?.getReader().read()) ?? {}
  expect([events.headers.get('content-type'), Buffer.from(value ?? []).toString()]).toEqual([
    'text/event-stream',
    'event: fleet\ndata: {"pools":[]}\n\n',
  ])
  abort.abort()
})

test('the gateway says why the controller cannot be reached', async () => {
  const { send } = await aGateway({ connect: () => Promise.reject(new Error('no controller leads')) })
  expect(await send({ path: '/nodes/n1' })).toEqual([502, 'no controller leads\n'])
  expect(await send({ path: '/events' })).toEqual([200, 'event: unreachable\ndata: "no controller leads"\n\n'])
})

test.each([
  ['/events', 'is whole', 'event: fleet\n'],
  ['/nodes/n1', 'is cut as well', 'aborted'],
])('an answer of %s %s when the connection to the controller is cut', async (path, _, text) => {
  const cut = createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\nevent: fleet\n\r\n', () => socket.resetAndDestroy())
    })
  })
  await once(cut.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void cut.close())
  const { send } = await aGateway({ connect: async () => connect((cut.address() as AddressInfo).port, '127.0.0.1') })
  expect(await send({ path }).catch((error: Error) => [200, error.message])).toEqual([200, text])
})

test('the gateway runs an action for whoever has its key', async () => {
  const { send, act, acted } = await aGateway()
  expect(await send({ path: '/session', headers: { 'x-nodewave-key': KEY } })).toEqual([
    200,
    '{"user":"grace","cluster":"https://192.0.2.10:6443"}',
  ])
  expect(await act({ words: ['pause', 'workers'], reason: 'firmware' })).toEqual([200, '{"isDone":true,"text":"done"}'])
  expect(acted).toEqual([{ words: ['pause', 'workers'], reason: 'firmware' }])
})

test.each([
  [{ 'x-nodewave-key': '' }, 403],
  [{ 'x-nodewave-key': 'j'.repeat(32) }, 403],
  [{ 'content-type': 'text/plain' }, 405],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{ 'sec-fetch-site': 'same-site' }, 403],
  [{ host: 'evil.example.com' }, 403],
] as const)('the gateway runs nothing for a request with %j', async (headers, status) => {
  const { act, acted } = await aGateway()
  expect((await act({ words: ['pause', 'workers'] }, headers))[0]).toBe(status)
  expect(acted).toEqual([])
})

test.each([
  [{ words: ['pause', '--all'] }],
  [{ words: ['pause', 'workers', '--kubeconfig=/tmp/other'] }],
  [{ words: ['pause', '-h'] }],
  [{ words: ['controller', 'workers'] }],
  [{ words: ['pause', 'workers'], kubeconfig: 'other' }],
  [{ words: ['pause', 'workers'], reason: 'x'.repeat(201) }],
  [{ words: ['pause', 'workers'], reason: 'x'.repeat(5000) }],
  ['pause workers'],
])('the gateway runs nothing that the page does not show: %j', async (action) => {
  const { act, acted } = await aGateway()
  expect((await act(action))[0]).toBe(400)
  expect(acted).toEqual([])
})

test('a gateway that only reads has no session and no action', async () => {
  const { send, act } = await aGateway({ isReadOnly: true })
  expect((await send({ path: '/session', headers: { 'x-nodewave-key': KEY } }))[0]).toBe(404)
  expect((await act({ words: ['pause', 'workers'] }))[0]).toBe(404)
})

test('every command that the page shows is an action', () => {
  const paused = ['', 'Pool', 'Fleet']
  const shown = [
    ...paused.flatMap((each) => poolCommands({ name: 'workers', paused: each })),
    ...nodeCommands('worker-1.example.com'),
  ]
  const refused = shown.filter((text) => !pageActionSchema.safeParse({ words: text.split(' ').slice(1) }).success)
  expect(refused).toEqual([])
})

test.each([
  ['text/html', 'text/plain'],
  ['text/javascript', 'text/plain'],
  ['image/svg+xml; charset=utf-8', 'text/plain'],
  ['application/json', 'application/json'],
])('what a controller calls %s is %s to the browser: no page or script of its own acts with the key', async (type, shown) => {
  const hostile = createHttpServer((_, response) => response.writeHead(200, { 'content-type': type }).end('<script>'))
  hostile.listen(0, '127.0.0.1')
  await once(hostile, 'listening')
  onTestFinished(() => void hostile.close())
  const { port } = await aGateway({ connect: async () => connect((hostile.address() as AddressInfo).port, '127.0.0.1') })

  const response = await fetch(`http://127.0.0.1:${port}/nodes/n1`)
  expect([response.headers.get('content-type'), await response.text()]).toEqual([shown, '<script>'])
})
