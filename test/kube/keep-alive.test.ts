import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { systemTimers } from '../../src/kube/timers.ts'
import { createTransport } from '../../src/kube/transport.ts'
import { json, listOf, scriptedServer, watching } from './scripted-server.ts'

/** Linux alone shows the timers of its sockets. */
const SOCKETS = '/proc/net/tcp'
const KEEP_ALIVE = '02'
const TICKS_A_SECOND = 100

/** Seconds until the kernel probes the other end of our connections to a port. */
function probesTo(port: number): number[] {
  const rows = readFileSync(SOCKETS, 'utf8').trim().split('\n').slice(1)
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , remote = '']) => Number.parseInt(remote.split(':')[1] ?? '', 16) === port)
    .map(([, , , , , timer = '']) => timer.split(':'))
    .flatMap(([kind, due = '']) => (kind === KEEP_ALIVE ? [Number.parseInt(due, 16) / TICKS_A_SECOND] : []))
}

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
const tls = { key: fixture('server.key'), cert: fixture('server.crt') }

test.runIf(existsSync(SOCKETS)).for([
  ['HTTP', undefined],
  ['HTTPS', tls],
] as const)('the connection of a watch over %s is probed within five seconds of silence', async ([, secured]) => {
  const answers = [listOf([], '5'), watching([{ type: 'ADDED', name: 'a', version: '6' }], 'silence')]
  await using server = await scriptedServer(answers, secured)
  const credentials = async () => (secured ? { ca: fixture('ca.crt') } : {})
  const client = createKubeClient({ server: server.url, tlsServerName: 'api.example.invalid', credentials })
  const stop = new AbortController()
  const events = client.follow('/api/v1/nodes', { project: ({ metadata }) => metadata.name, signal: stop.signal })
  const iterator = events[Symbol.asyncIterator]()
  await iterator.next()
  expect((await iterator.next()).value).toEqual({ type: 'upsert', item: 'a' })
  // The other connection, which is free for a next request, is probed every second.
  const [probe, ...more] = probesTo(Number(new URL(server.url).port)).filter((seconds) => seconds > 1)
  expect(more).toEqual([])
  expect(probe).toBeLessThanOrEqual(5)
  stop.abort()
})

test.for([
  ['HTTP', undefined],
  ['HTTPS', tls],
] as const)('a request over %s that asks for a new connection uses none that stands, and keeps none', async ([, secured]) => {
  await using server = await scriptedServer([json({})], secured)
  const credentials = async () => (secured ? { ca: fixture('ca.crt') } : {})
  const client = createKubeClient({ server: server.url, tlsServerName: 'api.example.invalid', credentials })
  await client.get('/api/v1/nodes/a')
  await client.get('/api/v1/nodes/a')
  expect(server.connections()).toBe(1)
  await client.get('/api/v1/nodes/a', { newConnection: true })
  await client.get('/api/v1/nodes/a', { newConnection: true })
  expect(server.connections()).toBe(3)
  await client.get('/api/v1/nodes/a')

  expect(server.connections()).toBe(3)
})

test.for([
  ['HTTP', undefined],
  ['HTTPS', tls],
] as const)(
  'a connection over %s that serves watch after watch is not watched by more and more listeners',
  async ([, secured]) => {
    await using server = await scriptedServer([watching([], 'end')], secured)
    const transport = createTransport(
      {
        server: server.url,
        tlsServerName: 'api.example.invalid',
        credentials: async () => (secured ? { ca: fixture('ca.crt') } : {}),
      },
      { timers: systemTimers, maxSockets: 1 },
    )
    const listeners: number[] = []
    for (let watches = 0; watches < 3; watches++) {
      const response = await transport.stream({ verb: 'watch', method: 'GET', path: '/api/v1/nodes' })
      const { socket } = response
      listeners.push(socket.eventNames().reduce((count, name) => count + socket.listenerCount(name), 0))
      response.resume()
      await once(response, 'close')
    }
    expect(server.connections()).toBe(1)
    expect(new Set(listeners).size).toBe(1)
  },
)

test('a connection that serves calls that waited for it is not watched by more and more listeners', async () => {
  await using server = await scriptedServer([json({})], tls)
  const client = createKubeClient(
    { server: server.url, tlsServerName: 'api.example.invalid', credentials: async () => ({ ca: fixture('ca.crt') }) },
    { maxSockets: 1 },
  )
  const warnings: Error[] = []
  const note = (warning: Error): void => void warnings.push(warning)
  process.on('warning', note)
  await Promise.all(Array.from({ length: 15 }, () => client.get('/api/v1/nodes/a')))
  process.off('warning', note)

  expect(server.connections()).toBe(1)
  expect(warnings).toEqual([])
})
