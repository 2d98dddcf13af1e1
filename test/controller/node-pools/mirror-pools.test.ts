import { expect, test } from 'vitest'
import { type NodePoolView, nodePoolsPath, projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import type { CompiledFleet } from '../../../src/controller/fleet/compiled-fleet.ts'
import { PoolMirror } from '../../../src/controller/node-pools/mirror-pools.ts'
import type { PoolObjects } from '../../../src/controller/node-pools/write-pool.ts'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import { aFleet } from '../a-fleet.ts'
import { aSnapshot } from '../a-snapshot.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const compile = createCompiler({ namespace: 'nodewave-system' })
/** What the controller does about objects, one after the other. @returns what was refused */
async function mirrorPools(objects: PoolObjects, fleet: CompiledFleet): Promise<readonly unknown[]> {
  const mirror = new PoolMirror(objects)
  const writes = [
    ...[...fleet.pools.values()].filter((pool) => !mirror.isMirrored(pool)).map((pool) => () => mirror.mirror(pool)),
    ...mirror.gone(fleet).map((view) => () => mirror.remove(view)),
  ]
  const results = await Promise.allSettled(writes.map((write) => write()))
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
}

const PATH = nodePoolsPath('workers')

/** A process that has mirrored a fleet with the pool `workers`, after which somebody else wrote to its object. */
async function aProcess() {
  const kube = new FakeKube()
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  await mirrorPools({ kube, pools }, compile(aSnapshot('a', aFleet())))
  const object = kube.objects.get(PATH)
  const touched = object && kube.put(PATH, { ...object, status: { observedRevision: 'c' } })
  const catchUp = () => touched && pools.observe({ type: 'upsert', item: projectNodePool(touched) })
  return { kube, pools, catchUp }
}

test('a pool that somebody else wrote to meanwhile is not deleted, until that was seen', async () => {
  const { kube, pools, catchUp } = await aProcess()
  const without = compile(
    aSnapshot('b', { 'fleet.yaml': (aFleet()['fleet.yaml'] ?? '').replace('{name: workers}', '{name: gpu}') }),
  )
  expect(await mirrorPools({ kube, pools }, without)).toMatchObject([{ reason: 'Conflict' }])
  expect(kube.objects.has(PATH)).toBe(true)
  catchUp()
  expect(await mirrorPools({ kube, pools }, without)).toEqual([])
  expect(kube.objects.has(PATH)).toBe(false)
})

test('a pool that somebody else wrote to meanwhile does not get another spec, until that was seen', async () => {
  const { kube, pools, catchUp } = await aProcess()
  const before = kube.objects.get(PATH)?.spec
  const other = compile(aSnapshot('b', aFleet({ v: 4 })))
  expect(await mirrorPools({ kube, pools }, other)).toMatchObject([{ reason: 'Conflict' }])
  expect(kube.objects.get(PATH)?.spec).toEqual(before)
  catchUp()
  expect(await mirrorPools({ kube, pools }, other)).toEqual([])
  expect(kube.objects.get(PATH)?.spec).toMatchObject({ kubelet: { flags: { v: 4 } } })
})

test('an edit or a deletion that the repository undoes is told from a spec that follows a commit', async () => {
  const kube = new FakeKube()
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  const mirror = new PoolMirror({ kube, pools })
  const workersAt = (v: number) => {
    const pool = compile(aSnapshot('a', aFleet({ v }))).pools.get('workers')
    if (!pool) throw new Error('the fleet has no pool "workers"')
    return pool
  }
  expect(await mirror.mirror(workersAt(2))).toEqual({})
  expect(await mirror.mirror(workersAt(4))).toEqual({})
  const object = kube.objects.get(PATH)
  const edited = object && kube.put(PATH, { ...object, spec: { kubelet: { flags: { v: 9 } } } })
  if (edited) pools.observe({ type: 'upsert', item: projectNodePool(edited) })
  expect(mirror.isMirrored(workersAt(4))).toBe(false)
  expect(await mirror.mirror(workersAt(4))).toEqual({ undoes: 'edit' })
  expect(kube.objects.get(PATH)?.spec).toMatchObject({ kubelet: { flags: { v: 4 } } })
  kube.objects.delete(PATH)
  pools.observe({ type: 'sync', items: [] })
  expect(await mirror.mirror(workersAt(4))).toEqual({ undoes: 'deletion' })
})

test('a pool whose object is being deleted counts as mirrored, whatever its spec', () => {
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  const mirror = new PoolMirror({ kube: new FakeKube(), pools })
  const view = (deletionTimestamp?: string) =>
    projectNodePool({ metadata: { name: 'workers', ...(deletionTimestamp && { deletionTimestamp }) }, spec: { a: 1 } })
  pools.observe({ type: 'sync', items: [view('2026-11-21T08:00:00Z')] })
  expect(mirror.isMirrored({ name: 'workers', spec: { a: 2 } })).toBe(true)
  pools.observe({ type: 'sync', items: [view()] })
  expect([1, 2].map((a) => mirror.isMirrored({ name: 'workers', spec: { a } }))).toEqual([true, false])
})

test('a pool whose object is there already, though it was not seen, is read, and another refusal is an error', async () => {
  const kube = new FakeKube()
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  const mirror = new PoolMirror({ kube, pools })
  kube.put(PATH, { metadata: { name: 'workers', uid: 'u' }, spec: { a: 1 } })
  await mirror.mirror({ name: 'workers', spec: { a: 1 } })
  const view = pools.get('workers')
  expect(view?.spec).toEqual({ a: 1 })
  expect(view && (await mirror.remove(view))).toEqual({ isDone: true })
  kube.failures.push({ on: 'POST', error: refusal(403, 'Forbidden') })
  await expect(mirror.mirror({ name: 'gpu', spec: {} })).rejects.toThrow('refused: Forbidden')
})

test('a pool whose object is created, and not known then, as on a server that was restored from a backup, is an error', async () => {
  const kube = new FakeKube()
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  pools.observe({ type: 'sync', items: [], resourceVersion: '900' })
  const mirror = new PoolMirror({ kube, pools })
  const why = 'create NodePool "workers": it is there, and the watch of NodePools has told of a later deletion'
  await expect(mirror.mirror({ name: 'workers', spec: { a: 1 } })).rejects.toThrow(why)
  await expect(mirror.mirror({ name: 'workers', spec: { a: 1 } })).rejects.toThrow(why)
})

test.each([
  ['is gone', '900', 409],
  ['may be there, since the list is older than what is known', '100', 404],
])('a write to a NodePool that the server does not find shows that it %s', async (_, listed, code) => {
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  const kube = Object.assign(new FakeKube(), { list: async () => ({ items: [], resourceVersion: listed }) })
  const known = projectNodePool({ metadata: { name: 'workers', uid: 'u', resourceVersion: '500' }, spec: { a: 1 } })
  pools.observe({ type: 'sync', items: [known] })
  await expect(new PoolMirror({ kube, pools }).mirror({ name: 'workers', spec: { a: 2 } })).rejects.toMatchObject({ code })
  expect(pools.get('workers') === undefined).toBe(code === 409)
})
