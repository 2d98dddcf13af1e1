import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import type { NodePoolView } from '../../../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { GarbageCollector } from '../../../src/controller/config-maps/garbage-collector.ts'
import { projectConfigMap, type StoredConfigMap } from '../../../src/controller/config-maps/stored-config-map.ts'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import { RevisionStore } from '../../../src/controller/revisions/revision-store.ts'
import { PoolRenderer } from '../../../src/controller/snapshot/pool-renderer.ts'
import { aFleet } from '../a-fleet.ts'
import { aSnapshot } from '../a-snapshot.ts'
import { FakeKube } from '../fake-kube.ts'

const PAYLOADS = '/api/v1/namespaces/nodewave-system/configmaps'
const NOW = Date.UTC(2026, 10, 21, 8)
const nothing = () => undefined

test('what is left of a sweep is swept by the next passes, not only when the next commit or the next look comes', async () => {
  const kube = new FakeKube()
  for (let index = 0; index < 250; index += 1) kube.put(`${PAYLOADS}/m${index}`, { metadata: { name: `m${index}` } })
  const maps = () => new ObjectCache<StoredConfigMap>(nothing)
  const payloads = { kube, namespace: 'nodewave-system', configMaps: maps() }
  payloads.configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  const cluster = { nodes: new ObjectCache<ClusterNode>(nothing), pools: new ObjectCache<NodePoolView>(nothing) }
  const store = new RevisionStore({ kube, namespace: 'nodewave-revisions', configMaps: maps() })
  const garbage = new GarbageCollector({ cluster, store, renderer: new PoolRenderer(), payloads: [payloads] })
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
