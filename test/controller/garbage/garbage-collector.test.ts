import { expect, test } from 'vitest'
import type { StoredAccess } from '../../../src/controller/cache/access-objects.ts'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import type { NodePoolView } from '../../../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { projectConfigMap, type StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { PoolRenderer } from '../../../src/controller/fleet/pool-renderer.ts'
import { GarbageCollector } from '../../../src/controller/garbage/garbage-collector.ts'
import { PayloadAccess } from '../../../src/controller/payload-access/payload-access.ts'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import { RevisionStore } from '../../../src/controller/revisions/revision-store.ts'
import { aFleet } from '../a-fleet.ts'
import { aSnapshot } from '../a-snapshot.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const MINUTE = 60_000
const PAYLOADS = '/api/v1/namespaces/nodewave-system/configmaps'
const NOW = Date.UTC(2026, 10, 21, 8)
const nothing = () => undefined

function aCluster() {
  return { nodes: new ObjectCache<ClusterNode>(nothing), pools: new ObjectCache<NodePoolView>(nothing) }
}

function aStore(kube: FakeKube): RevisionStore {
  return new RevisionStore({
    kube,
    namespace: 'nodewave-revisions',
    configMaps: new ObjectCache<StoredConfigMap>(nothing),
    now: () => 0,
  })
}

test('rights are compared again ten minutes after the last time, and a look that is due counts as made', () => {
  const kube = new FakeKube()
  const access = new PayloadAccess({
    ...{ kube, namespace: 'nodewave-system', uidOf: nothing },
    ...{ roles: new ObjectCache<StoredAccess>(nothing), bindings: new ObjectCache<StoredAccess>(nothing) },
  })
  const sources = { cluster: aCluster(), store: aStore(kube), renderer: new PoolRenderer(), payloads: [] }
  const garbage = new GarbageCollector({ ...sources, access })

  // The last time is 0 for one that has just begun.
  expect(garbage.nextLook(10 * MINUTE - 1)).toBe(10 * MINUTE)
  expect(garbage.nextLook(10 * MINUTE)).toBe(20 * MINUTE)
  expect(garbage.nextLook(10 * MINUTE + 1)).toBe(20 * MINUTE + 1)
  expect(new GarbageCollector(sources).nextLook(10 * MINUTE)).toBeUndefined()
})

test('what is left of a sweep is swept by the next passes, not only when the next commit or the next look comes', async () => {
  const kube = new FakeKube()
  for (let index = 0; index < 250; index += 1) kube.put(`${PAYLOADS}/m${index}`, { metadata: { name: `m${index}` } })
  const payloads = { kube, namespace: 'nodewave-system', configMaps: new ObjectCache<StoredConfigMap>(nothing) }
  payloads.configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  const garbage = new GarbageCollector({
    cluster: aCluster(),
    store: aStore(kube),
    renderer: new PoolRenderer(),
    payloads: [payloads],
  })
  const fleet = createCompiler({ namespace: 'nodewave-system' })(aSnapshot('a', aFleet()))
  const gathered = { revisions: new Map(), members: { byPool: new Map(), contested: new Map(), strays: [], mislabelled: [] } }
  const done: (readonly [boolean, number])[] = []
  for (let pass = 0; pass < 4; pass += 1) {
    const { isDone } = await garbage.collect({ fleet, gathered, now: NOW })
    done.push([isDone, kube.requests.length])
  }
  expect(done).toEqual([
    [false, 100],
    [false, 200],
    [true, 250],
    [true, 250],
  ])
})

test('the same commit is looked at again after ten minutes, and another one at once', async () => {
  const store = { list: () => [], reclaim: async () => undefined, collect: async () => ({ isDone: true }) }
  const swept: number[] = []
  const garbage = new GarbageCollector({
    ...{ cluster: aCluster(), renderer: new PoolRenderer(), payloads: [] },
    store: { ...store, collect: async ({ now }: { now: number }) => ({ isDone: swept.push((now - NOW) / MINUTE) > 0 }) } as never,
  })
  const gathered = { revisions: new Map(), members: { byPool: new Map(), contested: new Map(), strays: [], mislabelled: [] } }
  const look = (digit: string, minutes: number) =>
    garbage.collect({ fleet: { commit: digit, historyLimit: 3 } as never, gathered, now: NOW + minutes * MINUTE })
  for (const [digit, minutes] of [
    ['a', 0],
    ['a', 1],
    ['a', 9.99],
    ['a', 10],
    ['a', 11],
    ['b', 12],
  ] as const)
    await look(digit, minutes)
  expect(swept).toEqual([0, 10, 12])
})

test('the right to a payload is needed by a node whose annotation names it, or for which it is rendered, and by no other', async () => {
  const kube = new FakeKube()
  const cluster = aCluster()
  const member = (name: string, payloads: readonly string[]) =>
    ({ name, namespace: '', resourceVersion: '1', payloads }) as unknown as ClusterNode
  const nodes = [member('named', ['p']), member('rendered', []), member('other', ['q'])]
  cluster.nodes.observe({ type: 'sync', items: nodes })
  const renderer = {
    render: (_: unknown, { name }: ClusterNode) =>
      name === 'rendered' ? { kind: 'config', payloads: [{ kind: 'configmap', name: 'p' }] } : { kind: 'problem', message: '' },
  } as unknown as PoolRenderer
  const needed: string[] = []
  const access = {
    isGranted: () => true,
    revokeUnneeded: async (isNeeded: (node: string, readable: 'configmaps/p') => boolean) => {
      for (const node of ['named', 'rendered', 'other', 'gone']) if (isNeeded(node, 'configmaps/p')) needed.push(node)
    },
  } as unknown as PayloadAccess
  const fleet = createCompiler({ namespace: 'nodewave-system' })(aSnapshot('a', aFleet()))
  const members = { byPool: new Map([['workers', nodes]]), contested: new Map(), strays: [], mislabelled: [] }
  const revisions = new Map([['a', { pools: new Map([['workers', { name: 'workers' }]]) }]])
  const garbage = new GarbageCollector({ cluster, store: aStore(kube), renderer, payloads: [], access })

  await garbage.collect({ fleet, gathered: { revisions, members } as never, now: NOW })

  expect(needed).toEqual(['named', 'rendered'])
})

test('payloads that a node names, or that are of a kept revision, are not swept', async () => {
  const kube = new FakeKube()
  for (const [name, revision] of Object.entries({ named: 'old', kept: 'a', neither: 'old' }))
    kube.put(`${PAYLOADS}/${name}`, { metadata: { name, annotations: { 'nodewave.io/revision': revision } } })
  const payloads = { kube, namespace: 'nodewave-system', configMaps: new ObjectCache<StoredConfigMap>(nothing) }
  payloads.configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  const cluster = aCluster()
  const node = { name: 'n0', namespace: '', resourceVersion: '1', payloads: ['named'] } as unknown as ClusterNode
  cluster.nodes.observe({ type: 'sync', items: [node] })
  const store = { list: () => [{ commit: 'a' }], reclaim: async () => undefined, collect: async () => ({ isDone: true }) }
  const garbage = new GarbageCollector({
    ...{ cluster, renderer: new PoolRenderer(), payloads: [payloads] },
    store: store as unknown as RevisionStore,
  })
  const gathered = { revisions: new Map(), members: { byPool: new Map(), contested: new Map(), strays: [], mislabelled: [] } }
  await garbage.collect({ fleet: { commit: 'a', historyLimit: 3 } as never, gathered, now: NOW })
  expect(kube.requests).toEqual([`PATCH ${PAYLOADS}/neither`])
})

test('a revision that keeps its mark since the server refuses keeps no payload from being swept', async () => {
  const kube = new FakeKube()
  kube.put(`${PAYLOADS}/m`, { metadata: { name: 'm' } })
  const payloads = { kube, namespace: 'nodewave-system', configMaps: new ObjectCache<StoredConfigMap>(nothing) }
  payloads.configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  const reclaim = () => Promise.reject(refusal(403, 'Forbidden'))
  const garbage = new GarbageCollector({
    ...{ cluster: aCluster(), renderer: new PoolRenderer(), payloads: [payloads] },
    store: { list: () => [], reclaim, collect: async () => ({ isDone: true }) } as unknown as RevisionStore,
  })
  const gathered = { revisions: new Map(), members: { byPool: new Map(), contested: new Map(), strays: [], mislabelled: [] } }
  const collecting = garbage.collect({ fleet: { commit: 'a', historyLimit: 3 } as never, gathered, now: NOW })
  await expect(collecting).rejects.toMatchObject({ code: 403 })
  expect(kube.requests).toEqual([`PATCH ${PAYLOADS}/m`])
})
