import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { projectConfigMap, type StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import { RevisionLibrary } from '../../../src/controller/revisions/revision-library.ts'
import { RevisionStore } from '../../../src/controller/revisions/revision-store.ts'
import { aFleet } from '../a-fleet.ts'
import { aSnapshot } from '../a-snapshot.ts'
import { FakeKube } from '../fake-kube.ts'

test('library reads a revision that was accepted before the repository had Clusters', async () => {
  const kube = new FakeKube()
  const configMaps = new ObjectCache<StoredConfigMap>(() => undefined)
  const store = new RevisionStore({ kube, namespace: 'nodewave-revisions', configMaps, now: () => 0 })
  await store.put(aSnapshot('a', aFleet()))
  configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  const logged: string[] = []
  const compile = createCompiler({ namespace: 'nodewave-system', cluster: 'staging' })
  const library = new RevisionLibrary({ store, compile, log: (_, message) => void logged.push(message) })

  const [commit = ''] = library.kept()
  const fleet = await library.get(commit)
  expect(logged).toEqual([])
  expect([...(fleet?.pools.keys() ?? [])]).toEqual(['workers'])
})
