import { createHash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { projectConfigMap, type StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { packRevision, unpackRevision } from '../../../src/controller/revisions/revision-document.ts'
import { RevisionError } from '../../../src/controller/revisions/revision-error.ts'
import type { RevisionSecrets } from '../../../src/controller/revisions/revision-secrets.ts'
import { RevisionStore } from '../../../src/controller/revisions/revision-store.ts'
import type { RepoFile } from '../../../src/protocol/repo-snapshot.ts'
import { aSnapshot } from '../a-snapshot.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const MINUTES_10 = 600_000
const MAPS = '/api/v1/namespaces/nodewave-revisions/configmaps'

function aStore(kube = new FakeKube(), now = NOW) {
  const configMaps = new ObjectCache<StoredConfigMap>(() => undefined)
  const store = new RevisionStore({ kube, namespace: 'nodewave-revisions', configMaps, now: () => now })
  /** As after a restart: memory is what the cluster has. */
  const reread = () => configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  reread()
  return { kube, store, reread }
}

/** Does not compress, so that a revision needs several ConfigMaps. */
function aLargeSnapshot(digit: string) {
  return { ...aSnapshot(digit), files: new Map<string, RepoFile>([['blob', { kind: 'file', bytes: randomBytes(1_500_000) }]]) }
}

test('a snapshot is loaded as it was put, of whatever its files are', async () => {
  const { store } = aStore()
  const files = new Map<string, RepoFile>([
    ['pools/workers.yaml', { kind: 'file', bytes: Buffer.from('kind: NodePool\n'), blobId: 'b1' }],
    ['files/motd', { kind: 'file', bytes: Buffer.from([0xff, 0x00, 0xfe]) }],
    ['link', { kind: 'symlink', target: '../etc' }],
    ['large', { kind: 'tooLarge', size: 9_000_000 }],
    ['module', { kind: 'submodule' }],
  ])
  const snapshot = { ...aSnapshot('3'), files }
  await store.put(snapshot)
  expect(await store.load(snapshot.commit)).toEqual(snapshot)
})

test('files are kept byte for byte, whatever they hold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const snapshot = { ...aSnapshot('3'), files: new Map<string, RepoFile>([['f', { kind: 'file', bytes }]]) }
      const found = (await unpackRevision(await packRevision(snapshot))).files.get('f')
      return found?.kind === 'file' && Buffer.compare(found.bytes, bytes) === 0
    }),
  )
})

test('a large revision is split below the limit of a ConfigMap, and is there only when all parts are', async () => {
  const { kube, store, reread } = aStore()
  const snapshot = aLargeSnapshot('4')
  await store.put(snapshot)
  expect([...kube.objects.keys()]).toEqual([0, 1, 2].map((part) => `${MAPS}/fleet-444444444444-${part}`))
  for (const object of kube.objects.values()) expect(JSON.stringify(object).length).toBeLessThan(1024 * 1024)
  expect(store.list().map(({ commit }) => commit)).toEqual([snapshot.commit])
  kube.objects.delete(`${MAPS}/fleet-444444444444-1`)
  reread()
  expect(store.list()).toEqual([])
})

test('a revision whose writing was cut short is written again', async () => {
  const { kube, store, reread } = aStore()
  const snapshot = aLargeSnapshot('4')
  kube.failures.push({ on: `POST ${MAPS}/fleet-444444444444-2`, error: refusal(503, 'ServiceUnavailable') })
  await expect(store.put(snapshot)).rejects.toThrow('ServiceUnavailable')
  expect(store.list()).toEqual([])
  reread()
  await store.put(snapshot)
  expect(await store.load(snapshot.commit)).toEqual(snapshot)
})

test('the last accepted comes first, an old commit that is accepted again too', async () => {
  const { kube, store } = aStore()
  for (const digit of ['1', '2', '3', '1']) await store.put(aSnapshot(digit))
  expect(store.list().map(({ commit }) => commit[0])).toEqual(['1', '3', '2'])
  const before = kube.requests.length
  await store.put(aSnapshot('1'))
  expect(kube.requests.length).toBe(before)
})

test('revisions beyond the limit are deleted, those in use and the newest are not', async () => {
  const { kube, store } = aStore()
  for (const digit of ['1', '2', '3', '4', '5']) await store.put(aSnapshot(digit))
  for (const now of [NOW, NOW + MINUTES_10]) await store.collect({ needed: new Set(['1'.repeat(40)]), limit: 2, now })
  expect(store.list().map(({ commit }) => commit[0])).toEqual(['5', '4', '1'])
  expect(kube.objects.size).toBe(3)
})

test('parts that never became whole are deleted', async () => {
  const { kube, store, reread } = aStore()
  await store.put(aLargeSnapshot('4'))
  kube.objects.delete(`${MAPS}/fleet-444444444444-0`)
  reread()
  for (const now of [NOW, NOW + MINUTES_10]) await store.collect({ needed: new Set(['4'.repeat(40)]), limit: 10, now })
  expect(kube.objects.size).toBe(0)
})

test('a revision that is needed again before it was deleted stays', async () => {
  const { kube, store } = aStore()
  for (const digit of ['1', '2', '3']) await store.put(aSnapshot(digit))
  await store.collect({ needed: new Set(), limit: 1, now: NOW })
  await store.put(aSnapshot('1'))
  await store.reclaim(new Set(['2'.repeat(40)]))
  expect(store.list().map(({ commit }) => commit[0])).toEqual(['1', '3', '2'])
  const before = kube.requests.length
  await store.collect({ needed: new Set(['2'.repeat(40), '3'.repeat(40)]), limit: 1, now: NOW + MINUTES_10 })
  expect(kube.requests.slice(before)).toEqual([])
  expect(store.list().length).toBe(3)
})

test('what a process that leads no more writes late is not taken for the last accepted', async () => {
  const { kube, store: first } = aStore()
  for (const digit of ['1', '2']) await first.put(aSnapshot(digit))
  const { store: second, reread } = aStore(kube)
  await second.put(aSnapshot('4'))
  await first.put(aSnapshot('3'))
  reread()
  expect(second.list().map(({ commit }) => commit[0])).toEqual(['4', '3', '2', '1'])
})

test('a commit that is accepted after all that were kept are gone comes before each of them that somebody restores', async () => {
  const { kube, store, reread } = aStore()
  await store.put(aSnapshot('1'))
  await store.put(aSnapshot('2'))
  const gone = [...kube.objects]
  kube.objects.clear()
  const next = aStore(kube, NOW + MINUTES_10)
  await next.store.put(aSnapshot('3'))
  for (const [path, object] of gone) kube.objects.set(path, object)
  next.reread()
  expect(next.store.list().map(({ commit }) => commit[0])).toEqual(['3', '2', '1'])
  reread()
  kube.objects.delete(`${MAPS}/fleet-333333333333-0`)
  kube.objects.delete(`${MAPS}/fleet-222222222222-0`)
  next.reread()
  await next.store.put(aSnapshot('4'))
  for (const [path, object] of gone) kube.objects.set(path, object)
  next.reread()
  expect(next.store.list().map(({ commit }) => commit[0])).toEqual(['4', '2', '1'])
})

test('a kept revision that somebody changed, and the watch has not told of, is accepted again', async () => {
  const { kube, store } = aStore()
  for (const digit of ['1', '2']) await store.put(aSnapshot(digit))
  await kube.patch(`${MAPS}/fleet-111111111111-0`, { metadata: { labels: { by: 'somebody' } } })
  await store.put(aSnapshot('1'))
  expect(store.list().map(({ commit }) => commit[0])).toEqual(['1', '2'])
})

test('a large revision whose parts have all lost their labels is kept again', async () => {
  const { kube, store } = aStore()
  const snapshot = aLargeSnapshot('4')
  await store.put(snapshot)
  for (const path of [...kube.objects.keys()]) await kube.patch(path, { metadata: { labels: null } })
  const configMaps = new ObjectCache<StoredConfigMap>(() => undefined)
  const next = new RevisionStore({ kube, namespace: 'nodewave-revisions', configMaps, now: () => NOW })
  await next.put(snapshot)
  expect(await next.load(snapshot.commit)).toEqual(snapshot)
})

test('a ConfigMap of somebody else that has the name of a revision stays, and the error says what to do', async () => {
  const { kube, store } = aStore()
  kube.put(`${MAPS}/fleet-111111111111-0`, { metadata: { name: 'fleet-111111111111-0' } })
  await expect(store.put(aSnapshot('1'))).rejects.toThrow(
    `ConfigMap "fleet-111111111111-0" is there, and is not of commit "${'1'.repeat(40)}"; delete it`,
  )
  expect(kube.requests).not.toContain(`DELETE ${MAPS}/fleet-111111111111-0`)
})

test('a commit that begins like a kept one is refused', async () => {
  const { store } = aStore()
  await store.put(aSnapshot('1'))
  const twin = { ...aSnapshot('1'), commit: `${'1'.repeat(39)}2` }
  await expect(store.put(twin)).rejects.toThrow(RevisionError)
})

test('a revision that is not kept is an error that names it', async () => {
  const { store } = aStore()
  await expect(store.load('9'.repeat(40))).rejects.toThrow(
    `revision "${'9'.repeat(40)}" is not kept in namespace "nodewave-revisions"`,
  )
})

test('a revision with contents of Secrets is not loaded by a controller that reads none, and says what to do', async () => {
  const { store } = aStore()
  const commit = `${'3'.repeat(40)}+1a2b3c4d`
  await store.put({ ...aSnapshot('3'), commit })
  await expect(store.load(commit)).rejects.toThrow(
    `revision "${commit}" has Secrets; start the controller with --secrets-namespace`,
  )
})

test('documents that were damaged are refused', async () => {
  const { parts, sha256 } = await packRevision(aSnapshot('3', { a: 'text' }))
  const damaged = parts.map((part) => Buffer.from(part).fill(0x5a, 12, 13))
  await expect(unpackRevision({ parts: damaged, sha256 })).rejects.toThrow('are damaged')
})

test('documents that unpack to more than a tree may be are refused', async () => {
  const bomb = gzipSync(Buffer.alloc(120 * 1024 * 1024))
  const sha256 = createHash('sha256').update(bomb).digest('hex')
  await expect(unpackRevision({ parts: [bomb], sha256 })).rejects.toThrow(RevisionError)
})

test('a revision that would fill the database of the cluster is refused before anything is written', async () => {
  const { kube, store } = aStore()
  const bytes = randomBytes(13 * 1024 * 1024)
  const snapshot = { ...aSnapshot('5'), files: new Map<string, RepoFile>([['f', { kind: 'file', bytes }]]) }
  await expect(store.put(snapshot)).rejects.toThrow(
    /^the documents of commit "5{40}" take \d\d ConfigMaps, and at most 16 are kept of one commit; put smaller files onto hosts$/,
  )
  expect(kube.requests).toEqual([])
})

test.each<readonly [what: string, maps: number, secrets: boolean | undefined, isDone: boolean]>([
  ['neither ConfigMaps nor Secrets are left', 100, true, true],
  ['ConfigMaps are left', 101, true, false],
  ['Secrets are left', 100, false, false],
  ['no Secrets are taken, and no ConfigMaps are left', 100, undefined, true],
  ['no Secrets are taken, and ConfigMaps are left', 101, undefined, false],
])('a sweep of revisions that nobody needs is done, or not, when %s', async (_, maps, secrets, isDone) => {
  const configMaps = new ObjectCache<StoredConfigMap>(() => undefined)
  const kube = new FakeKube()
  for (let map = 0; map < maps; map++) kube.put(`${MAPS}/m${map}`, { metadata: { name: `m${map}` } })
  configMaps.observe({ type: 'sync', items: [...kube.objects.values()].map(projectConfigMap) })
  const collect = async () => ({ isDone: secrets === true })
  const store = new RevisionStore({
    ...{ kube, namespace: 'nodewave-revisions', configMaps, now: () => NOW },
    ...(secrets !== undefined && { secrets: { collect } as unknown as RevisionSecrets }),
  })
  expect(await store.collect({ needed: new Set(), limit: 1, now: NOW })).toEqual({ isDone })
})
