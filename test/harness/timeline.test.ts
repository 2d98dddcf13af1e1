/** The end-to-end tests judge by a timeline of the nodes: it must neither be behind nor tell what did not happen. */
import { expect, onTestFinished, test } from 'vitest'
import type { ApiClient, WatchEvent } from '../e2e/cluster/api-client.ts'
import type { ApiNode } from '../e2e/cluster/node.ts'
import { startTimeline } from '../e2e/timeline.ts'

/** A server with one node, whose watch tells what it is made to tell. */
function serverWith(node: ApiNode) {
  let current = node
  let watcher: (event: WatchEvent<ApiNode>) => void = () => undefined
  const api: ApiClient = {
    send: async () => ({ status: 200, body: { items: [current] } as never }),
    ask: async () => ({ items: [current] }) as never,
    watch: (_path, onEvent) => {
      watcher = onEvent as typeof watcher
      watcher({ type: 'ADDED', object: current } as never)
    },
  }
  return {
    api,
    accept(next: ApiNode) {
      current = next
    },
    tell: (object: ApiNode) => watcher({ type: 'MODIFIED', object }),
  }
}

function nodeAt(version: number, { cordoned = false } = {}): ApiNode {
  return {
    metadata: { name: 'n1', resourceVersion: String(version) },
    spec: { unschedulable: cordoned },
    status: { conditions: [], nodeInfo: { kubeletVersion: 'v1.36.3', bootID: '' }, capacity: {} },
  }
}

async function timelineOf(server: ReturnType<typeof serverWith>) {
  const timeline = await startTimeline(server.api)
  onTestFinished(() => timeline[Symbol.dispose]())
  const cordons = async () => (await timeline.upToNow()).map(({ cordoned }) => cordoned)
  return { cordons }
}

test('a timeline tells what the server has accepted also when its watch comes late', async () => {
  const server = serverWith(nodeAt(9, { cordoned: true }))
  const { cordons } = await timelineOf(server)
  server.accept(nodeAt(10))
  const asked = cordons()
  setImmediate(() => server.tell(nodeAt(10)))

  expect(await asked).toEqual([true, false])
})

test('a timeline tells nothing twice, and nothing old as new, when its watch begins again', async () => {
  const server = serverWith(nodeAt(9, { cordoned: true }))
  const { cordons } = await timelineOf(server)
  server.accept(nodeAt(10))
  for (const node of [nodeAt(10), nodeAt(9, { cordoned: true }), nodeAt(10)]) server.tell(node)

  expect(await cordons()).toEqual([true, false])
})

test('a heartbeat is no moment', async () => {
  const server = serverWith(nodeAt(9))
  const { cordons } = await timelineOf(server)
  server.accept(nodeAt(10))
  server.tell(nodeAt(10))

  expect(await cordons()).toEqual([false])
})

test('a timeline tells of a Node whose kubelet never reported that it is not Ready', async () => {
  const { status, ...node } = nodeAt(9)
  const server = serverWith({ ...node, status: { nodeInfo: status.nodeInfo, capacity: {} } })
  const timeline = await startTimeline(server.api)
  onTestFinished(() => timeline[Symbol.dispose]())

  expect((await timeline.upToNow()).map(({ ready }) => ready)).toEqual([false])
})
