import { expect, test } from 'vitest'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { ManualTimers } from './manual-timers.ts'

const NODES = '/api/v1/nodes'

test('a watch that an API server holds open mutely is replaced after 17 s, and tells what happened meanwhile', async () => {
  const server = await startApiServer()
  const timers = new ManualTimers()
  const kube = createKubeClient({ server: server.url, credentials: async () => ({}) }, { timers, random: () => 0.5 })
  const [troubles, stop]: [string[], AbortController] = [[], new AbortController()]
  await kube.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } })
  const events = kube.follow(NODES, {
    project: ({ metadata }) => `${metadata.name} ${metadata.labels?.turn ?? 0}`,
    isAwaited: () => true,
    onTrouble: (error) => troubles.push(String(error)),
    signal: stop.signal,
  })
  const change = (turn: string) => kube.patch(`${NODES}/a`, { metadata: { labels: { turn } } })
  const iterator = events[Symbol.asyncIterator]()
  const next = async () => (await iterator.next()).value
  expect(await next()).toMatchObject({ type: 'sync', items: ['a 0'] })
  const first = next()
  await timers.awaited(15_000)
  await change('1')
  expect(await first).toEqual({ type: 'upsert', item: 'a 1' })
  const second = next()
  await timers.awaited(15_000)
  server.stallWatches()
  await change('2')
  await timers.pass(15_000)
  await timers.pass(2_000)
  await timers.pass(800)
  expect(await second).toEqual({ type: 'upsert', item: 'a 2' })
  expect(troubles).toEqual(['KubeError: failed to watch "/api/v1/nodes": another watch tells of changes that this one does not'])
  stop.abort()
  await server.close()
})
