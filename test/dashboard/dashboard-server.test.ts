import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { serveDashboard } from '../../src/cli/controller/dashboard-options.ts'
import { startDashboard } from '../../src/dashboard/dashboard-server.ts'
import { fleetView } from '../../src/dashboard/fleet-view.ts'
import type { PlanView } from '../../src/dashboard/plan-view.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage, assignedRevision, NODES, POOLS } from '../controller/stage.ts'

const A = 'a'.repeat(40)
const EMPTY = {
  fleet: () => undefined,
  node: () => undefined,
  plan: () => Promise.resolve(undefined),
  changes: () => Promise.resolve(undefined),
}

const A_PLAN: PlanView = {
  ...{
    commit: { revision: 'b', subject: 'more', author: 'Ada' },
    because: 'it waits',
    summary: '1 of 1 nodes changes',
    window: '',
  },
  ...{ waves: [], groups: [], remarks: [] },
}

interface Got {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

function get(port: number, path: string, { host = `localhost:${port}`, method = 'GET', more = {} } = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { host, ...more } }, async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part)
      resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** The first events of the page's stream. */
async function events(port: number, count: number): Promise<string[]> {
  const abort = new AbortController()
  const response = await fetch(`http://127.0.0.1:${port}/events`, { signal: abort.signal })
  let text = ''
  for await (const part of response.body ?? []) {
    text += Buffer.from(part).toString()
    if (text.split('\n\n').length > count) break
  }
  abort.abort()
  return text.split('\n\n').slice(0, count)
}

test('the page and what it loads are served, with headers that let nothing else in', async () => {
  await using dashboard = await startDashboard({ port: 0, source: EMPTY })
  const page = await get(dashboard.port, '/')
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
  const named = [...page.text.matchAll(/(?:src|href)="([\w.]+)"/g)].map(([, name]) => `/${name}`)
  expect(named).toEqual(['/page.css', '/parts.css', '/page.js'])
  const loaded = new Set(named)
  for (const path of loaded) {
    const { status, text } = await get(dashboard.port, path)
    expect([path, status]).toEqual([path, 200])
    for (const [, name] of text.matchAll(/ from '\.\/([\w-]+\.js)'/g)) loaded.add(`/${name}`)
  }
  expect(loaded.size).toBeGreaterThan(10)
})

test.each([
  ['/../../package.json', 404],
  ['/page/page.js', 404],
  ['/constructor', 404],
  ['/nodes/N1', 404],
  ['/nodes/%2e%2e', 404],
  ['//', 404],
  ['/nodes/%', 404],
])('%s is not there', async (path, status) => {
  await using dashboard = await startDashboard({ port: 0, source: EMPTY })
  expect((await get(dashboard.port, path)).status).toBe(status)
})

test('a page of another host and another method are refused', async () => {
  await using dashboard = await startDashboard({ port: 0, source: EMPTY })
  expect((await get(dashboard.port, '/', { host: 'evil.example.com' })).status).toBe(403)
  expect((await get(dashboard.port, '/', { host: 'localhost.evil.example.com' })).status).toBe(403)
  expect((await get(dashboard.port, '/', { method: 'POST' })).status).toBe(405)
})

test('a page of another address follows no fleet, which would take the place of a viewer; a link to the page works', async () => {
  await using dashboard = await startDashboard({ port: 0, source: EMPTY })
  const from = (site: string, mode: string) => ({ more: { 'sec-fetch-site': site, 'sec-fetch-mode': mode } })
  const status = async (path: string, site: string, mode: string) => (await get(dashboard.port, path, from(site, mode))).status
  expect(await status('/events', 'cross-site', 'cors')).toBe(403)
  expect(await status('/plans/workers', 'same-site', 'no-cors')).toBe(403)
  expect(await status('/page.js', 'cross-site', 'no-cors')).toBe(403)
  expect(await status('/', 'cross-site', 'navigate')).toBe(200)
  expect(await status('/page.js', 'same-origin', 'no-cors')).toBe(200)
})

test('a controller that stands by says so', async () => {
  await using dashboard = await startDashboard({ port: 0, source: EMPTY })
  expect(await events(dashboard.port, 1)).toEqual(['event: standby\ndata: {}'])
})

test('the plan of a pool is served, and one that cannot be made harms nothing', async () => {
  const plan = (pool: string) =>
    pool === 'workers' ? Promise.resolve(A_PLAN) : pool === 'gpu' ? Promise.reject(new Error('away')) : Promise.resolve(undefined)
  await using dashboard = await startDashboard({ port: 0, source: { ...EMPTY, plan } })
  const workers = await get(dashboard.port, '/plans/workers')
  expect([workers.status, JSON.parse(workers.text)]).toEqual([200, A_PLAN])
  expect((await get(dashboard.port, '/plans/gpu')).status).toBe(500)
  expect((await get(dashboard.port, '/plans/others')).status).toBe(404)
})

test('the changes of a node are served, and a controller with other work is asked again', async () => {
  const view = { title: 'b on this node', comparisons: [] }
  const changes = async (node: string) => (node === 'n0' ? view : node === 'n1' ? 'busy' : undefined)
  await using dashboard = await startDashboard({ port: 0, source: { ...EMPTY, changes } })
  const found = await get(dashboard.port, '/changes/n0')
  expect([found.status, JSON.parse(found.text)]).toEqual([200, view])
  expect((await get(dashboard.port, '/changes/n1')).status).toBe(202)
  expect((await get(dashboard.port, '/changes/n2')).status).toBe(404)
})

test('a fleet that cannot be shown breaks the page alone, not the controller', async () => {
  let looks = 0
  const fleet = () => {
    looks += 1
    if (looks === 1) return { pools: [] }
    throw new Error('a status of tomorrow')
  }
  await using dashboard = await startDashboard({ port: 0, source: { ...EMPTY, fleet } })
  const response = await fetch(`http://127.0.0.1:${dashboard.port}/events`)
  expect(await response.text().catch(() => 'cut off')).toBe('cut off')
  expect((await get(dashboard.port, '/')).status).toBe(200)
})

test('32 viewers that never read keep nobody else from the page', async () => {
  const large = fleetView([{ name: 'a'.repeat(8_000_000), status: {}, waves: [], members: [] }])
  await using dashboard = await startDashboard({ port: 0, source: { ...EMPTY, fleet: () => large } })
  const stalled = await Promise.all(Array.from({ length: 32 }, () => aStalledViewer(dashboard.port)))
  const [first = ''] = await events(dashboard.port, 1)
  expect(first).toMatch(/^event: fleet/)
  for (const socket of stalled) socket.destroy()
})

/** Asks for events, and reads no more than the first of them. */
async function aStalledViewer(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'readable')
  return socket
}

test('the page of a controller shows its pools, and what it knows of a node', async () => {
  await using stage = await aStage()
  await using dashboard = await serveDashboard(0)
  await stage.addNodes(2)
  stage.startController({ telemetry: dashboard.telemetry })
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed(A)
  const [first = ''] = await events(dashboard.port, 1)
  expect(first).toMatch(/^event: fleet\n/)
  const { pools } = JSON.parse(first.slice(first.indexOf('data: ') + 6))
  expect(pools).toMatchObject([
    {
      name: 'workers',
      ready: 'True',
      reason: 'Completed',
      waves: [{ name: 'all nodes', nodes: ['n0', 'n1'], phases: ['Current', 'Current'] }],
    },
  ])
  expect((await get(dashboard.port, '/plans/workers')).status).toBe(404)
  const node = await get(dashboard.port, '/nodes/n1')
  expect(new Map(JSON.parse(node.text)).get('pool')).toBe('workers')
  expect((await get(dashboard.port, '/nodes/n9')).status).toBe(404)
})

test('the page of a controller shows what a node was brought to before', async () => {
  await using stage = await aStage()
  await using dashboard = await serveDashboard(0)
  await stage.addNodes(1)
  stage.startController({ telemetry: dashboard.telemetry })
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed('b'.repeat(40))
  const rows = new Map<string, string>(JSON.parse((await get(dashboard.port, '/nodes/n0')).text))
  expect(rows.get('earlier')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d to \d{4}-\d\d-\d\d \d\d:\d\d, Applied,.* aaaaaaaaaaaa$/)
})

test('the page of a controller shows what the assigned commit changes on a node, until and after it is applied', async () => {
  await using stage = await aStage()
  await using dashboard = await serveDashboard(0)
  const changes = async () => JSON.parse((await get(dashboard.port, '/changes/n0')).text)
  await stage.addNodes(1)
  stage.startController({ telemetry: dashboard.telemetry })
  stage.startAgents((_, { REVISION }) => (REVISION === A ? 'applies' : 'says nothing'))
  stage.push('a', aFleet())
  await stage.completed(A)
  expect((await get(dashboard.port, '/changes/n9')).status).toBe(404)
  stage.push('b', aFleet({ v: 3 }))
  await stage.until(NODES, (found) => assignedRevision(found.get('n0')) === 'b'.repeat(40))
  expect(await changes()).toEqual({
    title: 'bbbbbbbbbbbb on this node',
    comparisons: [
      {
        title: 'Compared with what it ran before and the commit before, aaaaaaaaaaaa',
        remark: '',
        changes: [['flags.v', '2', '3']],
      },
    ],
  })
})

test('the page of a controller says where an earlier commit is to be had, once that is out of use', async () => {
  await using stage = await aStage()
  await using dashboard = await serveDashboard(0)
  await stage.addNodes(1)
  stage.startController({ telemetry: dashboard.telemetry })
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed('b'.repeat(40))
  const { text } = await get(dashboard.port, '/changes/n0')
  expect(JSON.parse(text)).toEqual({
    title: 'bbbbbbbbbbbb on this node',
    comparisons: [
      {
        title: 'Compared with what it ran before and the commit before, aaaaaaaaaaaa',
        remark: 'Not in the memory of the controller. In a clone: nodewave plan --from aaaaaaaaaaaa --to bbbbbbbbbbbb',
        changes: [],
      },
    ],
  })
})

test('the page of a controller shows the commit that waits, its plan and the windows', async () => {
  await using stage = await aStage()
  await using dashboard = await serveDashboard(0)
  await stage.addNodes(2)
  stage.startController({ telemetry: dashboard.telemetry })
  stage.startAgents()
  stage.push('a', aFleet({ fleet: 'blastRadius: {maxNodes: 1}' }))
  await stage.completed(A)
  const windows = 'windows: [{action: deny, dates: ["2026-01-01/2099-12-31"], timeZone: UTC}]'
  stage.push('b', aFleet({ v: 5, rollout: `maxUnavailable: 1, ${windows}` }))
  await stage.until(POOLS, (found) => JSON.stringify(found.get('workers')?.status).includes('CommitNeedsPromotion'))
  const [first = ''] = await events(dashboard.port, 1)
  const { pools } = JSON.parse(first.slice(first.indexOf('data: ') + 6))
  expect(pools).toMatchObject([{ next: { revision: 'bbbbbbbbbbbb', subject: 'change b', author: 'Ada' } }])
  const { status, text } = await get(dashboard.port, '/plans/workers')
  expect([status, JSON.parse(text)]).toMatchObject([
    200,
    {
      commit: { revision: 'bbbbbbbbbbbb', subject: 'change b' },
      because: expect.stringContaining('needs promotion'),
      summary: '2 of 2 nodes change, the kubelet restarts',
      waves: [{ name: 'all', nodes: 2, conditions: '' }],
      groups: [{ title: 'n0, n1: the kubelet restarts', changes: [['flags.v', '2', '5']] }],
    },
  ])
})
