import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { projectConfigMap, type StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { ensurePayloads, PayloadConflict } from '../../../src/controller/config-maps/payloads.ts'
import { sweep } from '../../../src/controller/config-maps/sweep.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { makePayload } from '../../../src/render/payload.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

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

test('a payload that lost its labels gets them again, and is known, when it is needed once more', async () => {
  const store = aStore()
  await ensurePayloads(store, { payloads, revision: 'abc' })
  const path = `${MAPS}/${payload.name}`
  const { metadata, ...rest } = store.kube.objects.get(path) as KubeObject
  const { resourceVersion = '' } = store.kube.put(path, { ...rest, metadata: { ...metadata, labels: {} } }).metadata
  store.configMaps.observe({ type: 'sync', items: [], resourceVersion })

  await ensurePayloads(store, { payloads, revision: 'def' })
  expect(store.kube.objects.get(path)?.metadata.labels).toEqual({
    'app.kubernetes.io/managed-by': 'nodewave',
    'nodewave.io/pool': 'workers',
    'nodewave.io/kind': 'kubelet',
  })
  expect(store.configMaps.get(payload.name)?.revision).toBe('abc')
})

test.each([
  ['other content', { immutable: true, data: { 'kubelet-flags': '--v=9' } }],
  ['no protection from change', { immutable: false, data: { 'kubelet-flags': '--v=2' } }],
])('a payload of ours with %s is made again', async (_, spoiled) => {
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
  await expect(ensured).rejects.toThrow(`create ConfigMap "${payload.name}": one with this name and other content exists`)
})

test('a payload that the server refuses to create is an error of the server, and nothing is read', async () => {
  const store = aStore()
  store.kube.failures.push({ on: 'POST', error: refusal(403, 'Forbidden') })
  await expect(ensurePayloads(store, { payloads, revision: 'abc' })).rejects.toThrow('refused: Forbidden')
  expect(store.kube.requests).toEqual([`POST ${MAPS}/${payload.name}`])
})

test('a payload that a sweep has marked is reclaimed before a node is told of it', async () => {
  const store = aStore()
  await ensurePayloads(store, { payloads, revision: 'abc' })
  await sweep(store, { isNeeded: () => false, now: NOW })
  expect(store.configMaps.get(payload.name)?.unneededSince).toBe(NOW)
  await ensurePayloads(store, { payloads, revision: 'def' })
  expect(store.configMaps.get(payload.name)?.unneededSince).toBeUndefined()
})

test('a payload that was deleted, and the watch has not told of, is created at the second attempt when it was marked', async () => {
  const store = aStore()
  const ensure = () => ensurePayloads(store, { payloads, revision: 'abc' })
  await ensure()
  await sweep(store, { isNeeded: () => false, now: NOW })
  store.kube.objects.clear()
  await expect(ensure()).rejects.toMatchObject({ code: 409 })
  await ensure()
  expect([...store.kube.objects.keys()]).toEqual([`${MAPS}/${payload.name}`])
})

test('a payload with other content that somebody changed, and the watch has not told of, is made anew at the second attempt', async () => {
  const store = aStore()
  const path = `${MAPS}/${payload.name}`
  const ensure = () => ensurePayloads(store, { payloads, revision: 'abc' })
  await ensure()
  const found = store.kube.objects.get(path) as KubeObject
  store.configMaps.wrote(projectConfigMap(store.kube.put(path, { ...found, data: {} })))
  await store.kube.patch(path, { metadata: { labels: { by: 'somebody' } } })
  await expect(ensure()).rejects.toMatchObject({ code: 409 })
  await ensure()
  expect(store.kube.objects.get(path)).toMatchObject({ data: { 'kubelet-flags': '--v=2' } })
})
