import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { startMetricsServer } from '../../../src/controller/metrics/metrics-server.ts'
import { prometheusTelemetry } from '../../../src/controller/metrics/prometheus-telemetry.ts'
import { aFleet } from '../a-fleet.ts'
import { NO_CONCLUSIONS } from '../no-conclusions.ts'
import { aStage, POOLS } from '../stage.ts'

const A = 'a'.repeat(40)

async function get(port: number, path: string, method = 'GET'): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
  return { status: response.status, text: await response.text() }
}

function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
}

test('a controller that leads tells of its fleet and of its own work', async () => {
  await using stage = await aStage()
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => 0, now: () => 0 })
  await using server = await startMetricsServer({ host: '127.0.0.1', port: 0, telemetry })
  expect(await get(server.port, '/readyz')).toEqual({ status: 503, text: 'the cluster has not been read yet\n' })
  await stage.addNodes(3)
  stage.startController({ telemetry })
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed(A)

  expect(await get(server.port, '/readyz')).toEqual({ status: 200, text: 'ok\n' })
  const { status, text } = await get(server.port, '/metrics')
  expect(status).toBe(200)
  expect(linesOf(text, 'nodewave_build_info')).toEqual(['nodewave_build_info{version="1.2.3"} 1'])
  expect(linesOf(text, 'nodewave_leading')).toEqual(['nodewave_leading 1'])
  expect(linesOf(text, 'nodewave_pool_nodes')).toEqual(['nodewave_pool_nodes{pool="workers",phase="Current"} 3'])
  expect(linesOf(text, 'nodewave_pool_revision')).toEqual([`nodewave_pool_revision{pool="workers",revision="${A}"} 1`])
  expect(linesOf(text, 'nodewave_pool_condition')).toEqual([
    'nodewave_pool_condition{pool="workers",type="Ready",status="True",reason="Completed"} 1',
    'nodewave_pool_condition{pool="workers",type="Reconciling",status="False",reason="Completed"} 1',
    'nodewave_pool_condition{pool="workers",type="Stalled",status="False",reason="Completed"} 1',
  ])
  expect(linesOf(text, 'nodewave_pool_failed_nodes')).toEqual(['nodewave_pool_failed_nodes{pool="workers"} 0'])
  expect(linesOf(text, 'nodewave_kubelets')).toEqual(['nodewave_kubelets{pool="workers",version="1.36.2"} 3'])
  expect(linesOf(text, 'nodewave_git_readable')).toEqual(['nodewave_git_readable 1'])
  expect(linesOf(text, 'nodewave_rollout_duration_seconds')).toHaveLength(1)
  expect(linesOf(text, 'nodewave_pass_seconds_count')).toHaveLength(1)
})

test('a controller that does not lead tells nothing of the fleet', async () => {
  await using stage = await aStage()
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => 0, now: () => 0 })
  await stage.addNodes(1)
  const end = stage.startController({ telemetry })
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => found.get('workers')?.status !== undefined)
  expect(linesOf((await telemetry.exposed()).text, 'nodewave_pool_nodes')).not.toEqual([])
  await end()

  const { text } = await telemetry.exposed()
  expect(linesOf(text, 'nodewave_leading')).toEqual(['nodewave_leading 0'])
  expect(linesOf(text, 'nodewave_pool_nodes')).toEqual([])
})

test('a controller that has not led yet tells nothing of the fleet', async () => {
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => 0, now: () => 0 })
  const items = new Map([['workers', projectNodePool({ metadata: { name: 'workers' } })]])
  telemetry.synced({ nodes: { items: new Map() }, pools: { items }, revisions: { items: new Map() } })
  const told = async () => linesOf((await telemetry.exposed()).text, 'nodewave_pool_held_nodes')
  expect(await told()).toEqual([])
  telemetry.leads(NO_CONCLUSIONS)
  expect(await told()).toEqual(['nodewave_pool_held_nodes{pool="workers"} 0'])
})

test('a controller that led once leaves it to the next leader whether the repository can be read', async () => {
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => 0, now: () => 0 })
  const git = async () => linesOf((await telemetry.exposed()).text, 'nodewave_git_readable')
  expect(await git()).toEqual([])
  telemetry.leads(NO_CONCLUSIONS)
  telemetry.gitReadable(true)
  expect(await git()).toEqual(['nodewave_git_readable 1'])
  telemetry.leads()
  expect(await git()).toEqual([])
})

test('notifications are counted by channel and result, from zero', async () => {
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => 0, now: () => 0 })
  const tried = telemetry.notifies('ops')
  const counts = async () => linesOf((await telemetry.exposed()).text, 'nodewave_notifications_total')
  const series = (result: string, count: number) => `nodewave_notifications_total{channel="ops",result="${result}"} ${count}`
  expect(await counts()).toEqual([series('sent', 0), series('refused', 0), series('failed', 0)])
  tried('sent')
  tried('failed')
  tried('failed')
  expect(await counts()).toEqual([series('sent', 1), series('refused', 0), series('failed', 2)])
})

test('the server reads only, and knows three paths', async () => {
  let asked = 0
  const exposed = async () => {
    asked += 1
    return { type: 'text/plain', text: 'a 1\n' }
  }
  await using server = await startMetricsServer({ host: '127.0.0.1', port: 0, telemetry: { exposed, isSynced: () => true } })
  expect(await get(server.port, '/livez')).toEqual({ status: 200, text: 'ok\n' })
  expect(await get(server.port, '/metrics', 'POST')).toEqual({ status: 405, text: 'expected GET\n' })
  expect(await get(server.port, '/')).toEqual({ status: 404, text: 'expected /metrics, /livez or /readyz\n' })
  expect(asked).toBe(0)
})

test('connections that never read what they asked for keep no probe from its answer', async () => {
  const telemetry = { exposed: async () => ({ type: 'text/plain', text: 'a'.repeat(1_000_000) }), isSynced: () => true }
  await using server = await startMetricsServer({ host: '127.0.0.1', port: 0, telemetry })
  const stalled = await Promise.all(Array.from({ length: 40 }, () => aStalledClient(server.port)))
  expect(await get(server.port, '/livez')).toEqual({ status: 200, text: 'ok\n' })
  for (const socket of stalled) socket.destroy()
})

async function aStalledClient(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.pause()
  await once(socket, 'connect')
  await new Promise<void>((resolve) => {
    socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(20), () => resolve())
  })
  return socket
}

test('thirty-two connections are kept, and one more takes the place of the oldest', async () => {
  const telemetry = { exposed: async () => ({ type: '', text: '' }), isSynced: () => true }
  await using server = await startMetricsServer({ host: '127.0.0.1', port: 0, telemetry })
  const sockets: Socket[] = []
  const connectOne = async (): Promise<string> => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
    return probe(socket)
  }
  for (let count = 1; count <= 32; count++) expect(await connectOne()).toBe('HTTP/1.1 200 OK')
  expect(await probe(sockets[0])).toBe('HTTP/1.1 200 OK')
  expect(await connectOne()).toBe('HTTP/1.1 200 OK')
  expect(await probe(sockets[0])).toBe('closed')
  expect(await probe(sockets[1])).toBe('HTTP/1.1 200 OK')
  for (const socket of sockets) socket.destroy()
})

/** The first line of the answer. */
async function probe(socket: Socket | undefined): Promise<string> {
  if (!socket || socket.closed) return 'closed'
  const answer = Promise.withResolvers<string>()
  socket.once('data', (text) => answer.resolve(String(text).split('\r\n')[0] ?? ''))
  socket.once('close', () => answer.resolve('closed'))
  socket.write('GET /livez HTTP/1.1\r\nhost: a\r\n\r\n')
  return answer.promise
}

test('metrics that cannot be made are an error, and the next ones are made anew', async () => {
  let asked = 0
  const exposed = async () => {
    asked += 1
    if (asked === 1) throw new Error('no')
    return { type: 'text/plain', text: 'a 1\n' }
  }
  await using server = await startMetricsServer({ host: '127.0.0.1', port: 0, telemetry: { exposed, isSynced: () => true } })
  expect(await get(server.port, '/metrics')).toEqual({ status: 500, text: 'no\n' })
  expect(await get(server.port, '/metrics')).toEqual({ status: 200, text: 'a 1\n' })
})

test('an address that is taken is an error that names the option', async () => {
  const telemetry = { exposed: async () => ({ type: '', text: '' }), isSynced: () => true }
  await using server = await startMetricsServer({ host: '127.0.0.1', port: 0, telemetry })
  await expect(startMetricsServer({ host: '127.0.0.1', port: server.port, telemetry })).rejects.toThrow(
    /^serve metrics at 127\.0\.0\.1:\d+: .*EADDRINUSE.*; choose another --metrics-address$/,
  )
})
