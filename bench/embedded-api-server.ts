/**
 * `node bench/embedded-api-server.ts [--nodes N]`: how fast the embedded API server is, over HTTP on loopback, client and server sharing one
 * process. Prints JSON: seconds to list all nodes in pages of 100, patches a second at a concurrency of 50, and milliseconds until one
 * change has come to every one of 1,000 watches. The CPU figures are of client and server together, and hold on a busy machine too.
 */
import { once } from 'node:events'
import * as http from 'node:http'
import { startApiServer } from '../src/sim/apiserver/start-api-server.ts'
import { readOptions } from './support/report.ts'

const { nodes: NODES = 15_000 } = readOptions()
const PATCHES = 10_000
const WATCHES = 1_000

const server = await startApiServer()
const agent = new http.Agent({ keepAlive: true, maxSockets: 50 })

for (let index = 0; index < NODES; index++) server.store.put('nodes', node(index))

const listed = await timed(listAll)
const patched = await timed(patchAll)
const fannedOut = await timedFanOut()
console.log(
  JSON.stringify({
    nodes: NODES,
    listSeconds: round(listed.seconds),
    listCpuSeconds: round(listed.cpu),
    patchesPerSecond: Math.round(PATCHES / patched.seconds),
    patchCpuMicroseconds: Math.round((patched.cpu * 1e6) / PATCHES),
    watches: WATCHES,
    fanOutMilliseconds: round(fannedOut.seconds * 1000),
    residentMegabytes: Math.round(process.memoryUsage().rss / 2 ** 20),
  }),
)
agent.destroy()
await server.close()

/** About 10 kB, as nodes with images and conditions are. */
function node(index: number) {
  const images = Array.from({ length: 40 }, (_, image) => ({
    names: [
      `registry.example.com/team-${image}/service@sha256:${String(index).padStart(64, '0')}`,
      `registry.example.com/team-${image}/service:v1`,
    ],
    sizeBytes: 100_000_000 + image,
  }))
  const metadata = {
    name: `node-${String(index).padStart(5, '0')}`,
    uid: `uid-${index}`,
    labels: { 'kubernetes.io/os': 'linux' },
  }
  return { kind: 'Node', apiVersion: 'v1', metadata, spec: {}, status: { images, nodeInfo: { kubeletVersion: 'v1.36.3' } } }
}

async function listAll(): Promise<void> {
  let continued = ''
  let count = 0
  do {
    const page = await send('GET', `/api/v1/nodes?limit=100${continued ? `&continue=${continued}` : ''}`)
    const { items, metadata } = JSON.parse(page) as { items: unknown[]; metadata: { continue?: string } }
    count += items.length
    continued = metadata.continue ?? ''
  } while (continued)
  if (count !== NODES) throw new Error(`listed ${count} of ${NODES} nodes`)
}

async function patchAll(): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let index = next++; index < PATCHES; index = next++) {
      const name = `node-${String(index % NODES).padStart(5, '0')}`
      const body = JSON.stringify({
        metadata: { annotations: { 'nodewave.io/status': `{"phase":"Applied","attempts":${index}}` } },
      })
      await send('PATCH', `/api/v1/nodes/${name}`, body)
    }
  }
  await Promise.all(Array.from({ length: 50 }, worker))
}

async function timedFanOut(): Promise<Cost> {
  const watchAgent = new http.Agent({ keepAlive: true })
  const streams = await Promise.all(
    Array.from({ length: WATCHES }, async () => {
      const path = `/api/v1/nodes?watch=true&resourceVersion=${server.store.revision}`
      const [response] = (await once(http.get(server.url + path, { agent: watchAgent }), 'response')) as [http.IncomingMessage]
      return response
    }),
  )
  const told = Promise.all(streams.map((stream) => once(stream, 'data')))
  const cost = await timed(async () => {
    await send('PATCH', '/api/v1/nodes/node-00000', JSON.stringify({ metadata: { annotations: { told: 'yes' } } }))
    await told
  })
  for (const stream of streams) stream.destroy()
  watchAgent.destroy()
  return cost
}

function send(method: string, path: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request(server.url + path, {
      method,
      agent,
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    request.on('error', reject)
    request.on('response', async (response: http.IncomingMessage) => {
      const text = Buffer.concat(await response.toArray()).toString()
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`))
    })
    request.end(body)
  })
}

interface Cost {
  readonly seconds: number
  /** Seconds of processor time. */
  readonly cpu: number
}

async function timed(work: () => Promise<void>): Promise<Cost> {
  const start = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
