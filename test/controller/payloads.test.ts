import { expect, test } from 'vitest'
import { collectPayloads } from '../../src/controller/collect-payloads.ts'
import { ObjectCache } from '../../src/controller/object-cache.ts'
import { ensurePayloads, PayloadConflict } from '../../src/controller/payloads.ts'
import { projectConfigMap, type StoredConfigMap } from '../../src/controller/stored-config-map.ts'
import { makePayload } from '../../src/render/payload.ts'
import { FakeKube } from './fake-kube.ts'

const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'
const NOW = Date.UTC(2026, 10, 21, 8)

function aStore() {
  const kube = new FakeKube()
  const configMaps = new ObjectCache<StoredConfigMap>(() => undefined)
  const sync = () => configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  return { kube, configMaps, namespace: 'nodewave-system', sync }
}

const payload = makePayload('workers', 'kubelet', { 'kubelet-flags': '--v=2' })
const payloads = new Map([[payload.name, payload]])

test('a payload is created once, immutable and labelled', async () => {
  const store = aStore()
  await ensurePayloads(store, { payloads, revision: 'abc' })
  await ensurePayloads(store, { payloads, revision: 'def' })
  expect(store.kube.requests).toEqual([`POST ${MAPS}/${payload.name}`])
  expect(store.kube.objects.get(`${MAPS}/${payload.name}`)).toMatchObject({
    metadata: {
      labels: { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/pool': 'workers', 'nodewave.io/kind': 'kubelet' },
      annotations: { 'nodewave.io/revision': 'abc' },
    },
    immutable: true,
    data: { 'kubelet-flags': '--v=2' },
  })
})

test('a payload that is there already with the same content is taken as it is', async () => {
  const store = aStore()
  await ensurePayloads(store, { payloads, revision: 'abc' })
  const late = { ...aStore(), kube: store.kube }
  await ensurePayloads(late, { payloads, revision: 'def' })
  expect(late.configMaps.get(payload.name)?.revision).toBe('abc')
})

test.each([
  ['other content', { immutable: true, data: { 'kubelet-flags': '--v=9' } }],
  ['no protection from change', { immutable: false, data: { 'kubelet-flags': '--v=2' } }],
])('a payload of ours with %s is made anew', async (_, spoiled) => {
  const store = aStore()
  await ensurePayloads(store, { payloads, revision: 'abc' })
  const path = `${MAPS}/${payload.name}`
  const object = store.kube.objects.get(path)
  if (object) store.kube.put(path, { ...object, ...spoiled })
  store.sync()
  await ensurePayloads(store, { payloads, revision: 'abc' })
  expect(store.kube.objects.get(path)).toMatchObject({ immutable: true, data: { 'kubelet-flags': '--v=2' } })
})

test("somebody else's ConfigMap with the name of a payload is an error that says what to do", async () => {
  const store = aStore()
  store.kube.put(`${MAPS}/${payload.name}`, { metadata: { name: payload.name }, data: { 'kubelet-flags': '--v=9' } })
  const ensured = ensurePayloads(store, { payloads, revision: 'abc' })
  await expect(ensured).rejects.toThrow(PayloadConflict)
  await expect(ensured).rejects.toThrow(`create ConfigMap "${payload.name}": another one with this name`)
})

test('a payload is deleted when it is old, and neither a node nor a kept commit needs it', async () => {
  const store = aStore()
  const aMap = (name: string, { kind = 'kubelet', revision = 'gone', age = 3_600_000 } = {}): void => {
    const creationTimestamp = new Date(NOW - age).toISOString()
    const labels = { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/kind': kind }
    const annotations = { 'nodewave.io/revision': revision }
    store.kube.put(`${MAPS}/${name}`, { metadata: { name, creationTimestamp, labels, annotations } })
  }
  aMap('garbage')
  aMap('garbage-host', { kind: 'host' })
  aMap('named-by-a-node')
  aMap('of-a-kept-commit', { revision: 'kept' })
  aMap('young', { age: 60_000 })
  aMap('no-payload', { kind: 'revision' })
  store.sync()
  await collectPayloads(store, { named: new Set(['named-by-a-node']), keptCommits: new Set(['kept']), now: NOW })
  expect([...store.kube.objects.keys()].map((path) => path.slice(MAPS.length + 1))).toEqual([
    'named-by-a-node',
    'of-a-kept-commit',
    'young',
    'no-payload',
  ])
})
