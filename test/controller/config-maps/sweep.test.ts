import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { projectConfigMap, type StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { reclaim, sweep } from '../../../src/controller/config-maps/sweep.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'
const NOW = Date.UTC(2026, 10, 21, 8)
const LATER = NOW + 600_000

/** What one process knows of the ConfigMaps on the server. */
function aStore(kube = new FakeKube()) {
  const configMaps = new ObjectCache<StoredConfigMap>(() => undefined)
  const sync = () => configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  sync()
  const names = () => [...kube.objects.keys()].map((path) => path.slice(MAPS.length + 1))
  return { kube, configMaps, namespace: 'nodewave-system', sync, names }
}

function aMap(kube: FakeKube, name: string): void {
  const labels = { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/kind': 'kubelet' }
  kube.put(`${MAPS}/${name}`, { metadata: { name, uid: `uid-${name}`, labels } })
}

const needs =
  (...names: string[]) =>
  ({ name }: StoredConfigMap) =>
    names.includes(name)

test('what nobody needs is marked first, and deleted ten minutes later', async () => {
  const kube = new FakeKube()
  for (const name of ['garbage', 'needed']) aMap(kube, name)
  const store = aStore(kube)
  const isNeeded = needs('needed')
  for (const now of [NOW, LATER - 1]) await sweep(store, { isNeeded, now })
  expect(store.names()).toEqual(['garbage', 'needed'])
  await sweep(store, { isNeeded, now: LATER })
  expect(store.names()).toEqual(['needed'])
  expect(kube.requests).toEqual([`PATCH ${MAPS}/garbage`, `DELETE ${MAPS}/garbage`])
})

test('what is needed again loses its mark, and its time begins again', async () => {
  const kube = new FakeKube()
  aMap(kube, 'a')
  const store = aStore(kube)
  await sweep(store, { isNeeded: needs(), now: NOW })
  await sweep(store, { isNeeded: needs('a'), now: LATER })
  await sweep(store, { isNeeded: needs(), now: LATER })
  expect(store.names()).toEqual(['a'])
})

test('a deletion that was decided on before somebody reclaimed is refused, and is no error', async () => {
  const kube = new FakeKube()
  aMap(kube, 'a')
  const deposed = aStore(kube)
  await sweep(deposed, { isNeeded: needs(), now: NOW })
  const leader = aStore(kube)
  const [map] = leader.configMaps.items.values()
  if (map) await reclaim(leader, map)
  await sweep(deposed, { isNeeded: needs(), now: LATER })
  expect(deposed.names()).toEqual(['a'])
})

test('what is needed again loses its mark at the second attempt when the watch does not tell of what somebody else wrote', async () => {
  const kube = new FakeKube()
  aMap(kube, 'a')
  const store = aStore(kube)
  await sweep(store, { isNeeded: needs(), now: NOW })
  await kube.patch(`${MAPS}/a`, { metadata: { labels: { by: 'somebody' } } })
  const reclaimed = () => sweep(store, { isNeeded: needs('a'), now: LATER })
  await expect(reclaimed()).rejects.toMatchObject({ code: 409 })
  await reclaimed()
  expect(store.configMaps.get('a')?.unneededSince).toBeUndefined()
})

test.each(['changed', 'deleted'])('what is needed, and somebody else has %s, is decided again at once', async (done) => {
  const kube = new FakeKube()
  aMap(kube, 'a')
  const store = aStore(kube)
  await sweep(store, { isNeeded: needs(), now: NOW })
  let told = 0
  const configMaps = new ObjectCache<StoredConfigMap>(() => void told++)
  configMaps.wrote(projectConfigMap(await kube.get(`${MAPS}/a`)))
  if (done === 'deleted') await kube.delete(`${MAPS}/a`)
  else await kube.patch(`${MAPS}/a`, { metadata: { labels: { by: 'somebody' } } })
  await expect(sweep({ ...store, configMaps }, { isNeeded: needs('a'), now: LATER })).rejects.toMatchObject({ code: 409 })
  expect(told).toBe(1)
})

test('what has lost its labels is not marked and deleted at the second attempt, though the watch does not tell so', async () => {
  const kube = new FakeKube()
  aMap(kube, 'a')
  const store = aStore(kube)
  await kube.patch(`${MAPS}/a`, { metadata: { labels: null } })
  for (const now of [NOW, NOW, LATER, LATER]) await sweep(store, { isNeeded: needs(), now })
  expect(kube.requests).toEqual([`PATCH ${MAPS}/a`, `PATCH ${MAPS}/a`, `LIST ${MAPS}`])
})

test('a conflict is a failure like any other when nothing has changed, as of a server that was restored', async () => {
  const kube = new FakeKube()
  aMap(kube, 'a')
  const store = aStore(kube)
  await sweep(store, { isNeeded: needs(), now: NOW })
  const refusing = Object.assign(Object.create(kube), { patch: () => Promise.reject(refusal(409, 'Conflict')) })
  const reclaimed = sweep({ ...store, kube: refusing }, { isNeeded: needs('a'), now: LATER })
  await expect(reclaimed).rejects.not.toHaveProperty('code')
})

test('a mark that nobody can read is as good as an old one', async () => {
  const kube = new FakeKube()
  kube.put(`${MAPS}/a`, { metadata: { name: 'a', uid: 'uid-a', annotations: { 'nodewave.io/unneeded-since': 'yesterday' } } })
  const store = aStore(kube)
  await sweep(store, { isNeeded: needs(), now: NOW })
  expect(store.names()).toEqual([])
})

test('a sweep of thousands does a hundred at a time, so that no pass waits for all of them', async () => {
  const kube = new FakeKube()
  for (let index = 0; index < 250; index += 1) aMap(kube, `m${index}`)
  const store = aStore(kube)
  const isNeeded = needs('m7')
  const done: boolean[] = []
  for (const now of [NOW, NOW, NOW, LATER, LATER, LATER]) done.push((await sweep(store, { isNeeded, now })).isDone)
  expect(done).toEqual([false, false, true, false, false, true])
  expect(store.names()).toEqual(['m7'])
  expect(kube.requests).toHaveLength(498)
})

test('a sweep that cannot delete one goes on with the others', async () => {
  const kube = new FakeKube()
  for (const name of ['a', 'b', 'c']) aMap(kube, name)
  const store = aStore(kube)
  await sweep(store, { isNeeded: needs(), now: NOW })
  kube.failures.push({ on: `DELETE ${MAPS}/a`, error: refusal(500, 'InternalError') })
  await expect(sweep(store, { isNeeded: needs(), now: LATER })).rejects.toThrow('refused: InternalError')
  expect(store.names()).toEqual(['a'])
})

test('objects that the server refuses to mark keep none of the others from being swept', async () => {
  const kube = new FakeKube()
  for (let index = 0; index < 250; index += 1) aMap(kube, `m${index}`)
  const store = aStore(kube)
  kube.stored = (object) => {
    if (Number(object.metadata.name.slice(1)) < 120) throw refusal(403, 'Forbidden')
    return object
  }
  const sweepAll = async (now: number) => {
    for (let isDone = false; !isDone; ) ({ isDone } = await sweep(store, { isNeeded: needs(), now }))
  }
  for (const now of [NOW, LATER]) await expect(sweepAll(now)).rejects.toThrow('and 117 more')
  expect(store.names()).toHaveLength(120)
})

test('a sweep whose marks the server does not keep fails, and is not to be begun again at once', async () => {
  const kube = new FakeKube()
  for (let index = 0; index < 250; index += 1) aMap(kube, `m${index}`)
  const store = aStore(kube)
  kube.stored = ({ metadata: { annotations: _, ...metadata } }) => ({ metadata })
  await expect(sweep(store, { isNeeded: needs(), now: NOW })).rejects.toThrow(
    'the API server does not keep nodewave.io/unneeded-since of "m0" as written; correct the webhook that changes it',
  )
})

test.each(['deleted', 'changed'])(
  'a sweep of thousands that somebody else has %s, and the watch has not told of, ends',
  async (done) => {
    const kube = new FakeKube()
    for (let index = 0; index < 250; index += 1) aMap(kube, `m${index}`)
    const store = aStore(kube)
    if (done === 'changed') for (const _ of [1, 2, 3]) await sweep(store, { isNeeded: needs(), now: NOW })
    for (const path of [...kube.objects.keys()])
      if (done === 'deleted') kube.objects.delete(path)
      else await kube.patch(path, { metadata: { labels: { by: 'somebody' } } })
    let passes = 0
    for (let isDone = false; !isDone && passes < 20; passes += 1)
      ({ isDone } = await sweep(store, { isNeeded: needs(), now: LATER }))
    expect(passes).toBeLessThan(10)
  },
)

test('what is needed, and keeps its mark since the server refuses, keeps nothing else from losing it or from being swept', async () => {
  const kube = new FakeKube()
  for (const name of ['a', 'b', 'c']) aMap(kube, name)
  const store = aStore(kube)
  await sweep(store, { isNeeded: needs(), now: NOW })
  kube.failures.push({ on: `PATCH ${MAPS}/a`, error: refusal(403, 'Forbidden') })
  await expect(sweep(store, { isNeeded: needs('a', 'b'), now: LATER })).rejects.toThrow('refused: Forbidden')
  expect(store.names()).toEqual(['a', 'b'])
  expect(store.configMaps.get('b')?.unneededSince).toBeUndefined()
})
