import { expect, test } from 'vitest'
import { type NodePoolView, nodePoolsPath, projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { completeStatus } from '../../../src/controller/status/complete-status.ts'
import { StatusWriter } from '../../../src/controller/status/status-writer.ts'
import type { NodePoolStatus, PoolReason } from '../../../src/protocol/node-pool.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const NOW = Date.UTC(2026, 10, 21, 8)

function aWriter() {
  const kube = new FakeKube()
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  const object = kube.put(nodePoolsPath('workers'), { metadata: { name: 'workers', generation: 3 }, spec: {} })
  pools.observe({ type: 'sync', items: [projectNodePool(object)] })
  return { kube, pools, writer: new StatusWriter({ kube, pools }) }
}

function aStatus(current: number, reason: PoolReason = 'RollingOut'): NodePoolStatus {
  const condition = { type: 'Ready', status: 'False', reason, message: `${current} of 9`, lastTransitionTime: 'then' } as const
  const decided = {
    nodes: { total: 9, current, byPhase: { Current: current } },
    failed: [],
    rejected: [],
    rollbackTo: [],
    held: [],
    controls: [],
    history: [],
  }
  return completeStatus(
    { ...decided, conditions: [condition] },
    { generation: 3, observedRevision: 'abc', acceptedRevision: 'abc' },
  )
}

test('a status that says nothing new is not written', async () => {
  const { kube, writer } = aWriter()
  for (let times = 0; times < 3; times += 1) await writer.write('workers', { status: aStatus(1), now: NOW })
  expect(kube.requests).toEqual(['PUT /apis/nodewave.io/v1alpha1/nodepools/workers/status'])
})

test('counts alone are written once a second', async () => {
  const { kube, writer } = aWriter()
  await writer.write('workers', { status: aStatus(1), now: NOW })
  expect(await writer.write('workers', { status: aStatus(2), now: NOW + 300 })).toBe(NOW + 1000)
  expect(kube.requests.length).toBe(1)
  expect(await writer.write('workers', { status: aStatus(3), now: NOW + 1000 })).toBeUndefined()
  expect(kube.requests.length).toBe(2)
})

test('counts that change in the moment in which others were written wait for their second', async () => {
  const { writer } = aWriter()
  await writer.write('workers', { status: aStatus(1), now: NOW })
  expect(writer.dueAt('workers', { status: aStatus(2), now: NOW })).toBe(NOW + 1000)
})

test('counts are written at once after the clock was put back', async () => {
  const { kube, writer } = aWriter()
  await writer.write('workers', { status: aStatus(1), now: NOW })
  expect(writer.dueAt('workers', { status: aStatus(2), now: NOW - 3_600_000 })).toBe(NOW - 3_600_000)
  await writer.write('workers', { status: aStatus(2), now: NOW - 3_600_000 })
  expect(kube.requests.length).toBe(2)
})

test('what later decisions build on is written at once', async () => {
  const { kube, writer } = aWriter()
  await writer.write('workers', { status: aStatus(1), now: NOW })
  await writer.write('workers', { status: aStatus(1, 'Halted'), now: NOW + 1 })
  const rejected = [{ revision: 'b', fingerprint: 'v1:b' }]
  await writer.write('workers', { status: { ...aStatus(1, 'Halted'), rejected }, now: NOW + 2 })
  expect(kube.requests.length).toBe(3)
})

test('a status that met a change by somebody else is an error, and is written at the next try', async () => {
  const { kube, pools, writer } = aWriter()
  const changed = kube.put(nodePoolsPath('workers'), { metadata: { name: 'workers', labels: { a: 'b' } }, spec: {} })
  await expect(writer.write('workers', { status: aStatus(1), now: NOW })).rejects.toMatchObject({ code: 409 })
  pools.observe({ type: 'upsert', item: projectNodePool(changed) })
  await writer.write('workers', { status: aStatus(1), now: NOW })
  expect(kube.objects.get(nodePoolsPath('workers'))?.metadata.labels).toEqual({ a: 'b' })
})

test.each([
  ['met a change by somebody else', undefined, 'Conflict', 1],
  ['failed for another reason', refusal(500, 'InternalError'), 'InternalError', 0],
])(
  'an object that is new in its version alone asks for another pass, or not, when its status %s',
  async (_, failure, message, asked) => {
    const kube = new FakeKube()
    let passes = 0
    const pools = new ObjectCache<NodePoolView>(() => void passes++)
    const about = { metadata: { name: 'workers', generation: 3 }, spec: {} }
    pools.observe({ type: 'sync', items: [projectNodePool(kube.put(nodePoolsPath('workers'), about))] })
    const changed = kube.put(nodePoolsPath('workers'), about)
    if (failure) kube.failures.push({ on: 'PUT', error: failure })
    passes = 0
    await expect(new StatusWriter({ kube, pools }).write('workers', { status: aStatus(1), now: NOW })).rejects.toThrow(message)
    pools.observe({ type: 'upsert', item: projectNodePool(changed) })
    expect(passes).toBe(asked)
  },
)

test('a status is not written for a pool without an object, and nobody may act on it', async () => {
  const { writer } = aWriter()
  await expect(writer.write('gpu', { status: aStatus(1), now: NOW })).rejects.toThrow('pool "gpu"')
})

test('a status carries what the table of kubectl shows', () => {
  expect(aStatus(4)).toMatchObject({
    observedGeneration: 3,
    observedRevision: 'abc',
    conditions: [{ observedGeneration: 3 }],
    summary: { revision: '', wave: '', updated: '4/9' },
  })
})

test.each([
  ['a paused pool', { paused: 'new firmware' }, 'Pool'],
  ['a pool that is paused without a reason', { paused: '' }, 'Pool'],
  ['a pool of a paused fleet', { fleetPaused: 'cooling' }, 'Fleet'],
  ['a paused pool of a paused fleet', { paused: '', fleetPaused: 'cooling' }, 'Pool'],
  ['a pool that nobody paused', { retry: 'abc' }, undefined],
])('the table of kubectl shows what is paused of %s', (_, observedControls, paused) => {
  const complete = completeStatus(
    { ...aStatus(4), observedControls },
    { generation: 3, observedRevision: 'abc', acceptedRevision: 'abc' },
  )
  expect(complete.summary?.paused).toBe(paused)
})

test('a text that was cut in the middle of an emoji is written once, as the server will have it', async () => {
  const { kube, writer } = aWriter()
  const status = { ...aStatus(1), target: { revision: 'abc', fingerprint: 'v1:0', subject: '🚀'.slice(0, 1) } }
  const complete = completeStatus(status, { generation: 3, observedRevision: 'abc', acceptedRevision: 'abc' })
  expect(complete.target?.subject).toBe('�')
  for (let times = 0; times < 3; times += 1) await writer.write('workers', { status: complete, now: NOW })
  expect(kube.requests).toHaveLength(1)
})

test('a status of which the cluster drops a part is an error that says what to do', async () => {
  const { kube, writer } = aWriter()
  kube.stored = ({ status, ...object }) => ({ ...object, status: { ...Object(status), rejected: undefined } })
  await expect(writer.write('workers', { status: aStatus(1), now: NOW })).rejects.toThrow(
    'write status of pool "workers": the cluster does not keep its "rejected" as written; the NodePool kind there is another than this controller\'s: kubectl apply -f deploy/crds/nodepools.yaml',
  )
})
