import { expect, test } from 'vitest'
import { followCluster } from '../../../src/controller/cache/cluster-cache.ts'
import type { ClusterSettings } from '../../../src/controller/cache/cluster-settings.ts'
import { nodePoolsPath, projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { Contact } from '../../../src/controller/clock/contact.ts'
import { nodePoolCrd } from '../../../src/controller/crds/node-pool-crd.ts'
import { type FollowEvent, type FollowOptions, type KubeApi, KubeError, type KubeObject } from '../../../src/kube/kube-api.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { createCore } from '../../../src/sim/apiserver/create-core.ts'
import { inProcessClient } from '../../../src/sim/apiserver/in-process-client.ts'
import { VirtualClock } from '../../../src/sim/virtual-clock.ts'

const settings = { names: namesFor(), namespace: 'nodewave-system', revisionsNamespace: 'nodewave-revisions' }

test('a Node is read again only when its version is another than the one that is known', async () => {
  const clock = new VirtualClock()
  const kube = inProcessClient(createCore({ now: () => clock.now() }))
  await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
  const first = await kube.create<KubeObject>('/api/v1/nodes', { metadata: { name: 'n0' } })
  const ending = new AbortController()
  const following = { kube, settings, contact: new Contact(), log: () => {}, changed: () => {}, signal: ending.signal }
  const cluster = followCluster({ ...following, clock: { now: () => 0, elapsed: () => 0, sleepUntil: () => Promise.resolve() } })
  await cluster.synced
  ending.abort()
  expect(cluster.readNode(first)).toBe(cluster.nodes.get('n0'))
  const second = await kube.patch<KubeObject>('/api/v1/nodes/n0', { spec: { unschedulable: true } })
  expect(cluster.readNode(second).view.unschedulable).toBe(true)
})

/** What the watch of nodes calls, by a clock that the test sets. */
function watchedNodes() {
  const [contact, ending, clock] = [new Contact(), new AbortController(), { at: 0 }]
  const core = inProcessClient(createCore({ now: () => 0 }))
  let ofNodes: FollowOptions<unknown> | undefined
  const kube: KubeApi = {
    ...core,
    follow(path, options) {
      if (path === '/api/v1/nodes') ofNodes = options as FollowOptions<unknown>
      return core.follow(path, options)
    },
  }
  const parts = { now: () => clock.at, elapsed: () => 0, sleepUntil: () => Promise.resolve() }
  const options = { kube, settings, contact, clock: parts, log: () => {}, changed: () => {}, signal: ending.signal }
  followCluster(options).synced.catch(() => {})
  return { contact, clock, ofNodes, end: () => ending.abort() }
}

test('nodes count as unknown since their watch fell silent, not since that was noticed', async () => {
  const { contact, clock, ofNodes, end } = watchedNodes()
  clock.at = 100_000
  ofNodes?.onTrouble?.(new KubeError('silent', { code: 0, reason: 'Stalled', silentFor: 20_000 }))
  expect(contact.unbrokenSince(100_000)).toBe(100_000)
  ofNodes?.onOpen?.()
  ofNodes?.onTrouble?.(new KubeError('broken off', { code: 0, reason: 'Unreachable' }))
  ofNodes?.onOpen?.()
  expect(contact.unbrokenSince(200_000)).toBe(100_000)
  end()
})

test('nodes count as unknown since the server ended their watch, not since another one could not be opened', async () => {
  const { contact, clock, ofNodes, end } = watchedNodes()
  const since: (number | undefined)[] = []
  for (const at of [0, 60_000]) {
    clock.at = at
    ofNodes?.onEnd?.()
    clock.at = at === 0 ? 30_000 : 60_500
    ofNodes?.onTrouble?.(new KubeError('no answer', { code: 0, reason: 'Timeout' }))
    clock.at = at === 0 ? 31_000 : 61_000
    ofNodes?.onOpen?.()
    since.push(contact.unbrokenSince(90_000))
  }
  end()
  expect(since).toEqual([31_000, 31_000])
})

test('nodes count as listed with each list, and not with a watch that goes on', async () => {
  const contact = new Contact()
  const core = inProcessClient(createCore({ now: () => 0 }))
  let now = 0
  const seen: (number | undefined)[] = []
  const told = Promise.withResolvers<void>()
  const clock = { now: () => now, elapsed: () => now, sleepUntil: () => told.promise }
  const kube: KubeApi = {
    ...core,
    async *follow<T>(path: string, options: FollowOptions<T>): AsyncGenerator<FollowEvent<T>> {
      if (path !== '/api/v1/nodes') return yield* core.follow(path, options)
      for (const isListed of [true, false, true]) {
        if (isListed) yield { type: 'sync', items: [] }
        options.onOpen?.()
        seen.push(contact.listedAt(clock))
        now += 60_000
      }
      told.resolve()
    },
  }
  const ending = new AbortController()
  followCluster({ kube, settings, contact, clock, log: () => {}, changed: () => {}, signal: ending.signal }).synced.catch(
    () => {},
  )
  await told.promise
  ending.abort()
  expect(seen).toEqual([0, 0, 120_000])
})

test('the watches of nodes and pools are compared with others while a node is under change, and those of others never', async () => {
  const core = inProcessClient(createCore({ now: () => 0 }))
  await core.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
  const awaited: { readonly path: string; readonly isAwaited: (() => boolean) | undefined }[] = []
  const kube: KubeApi = {
    ...core,
    follow(path, options) {
      awaited.push({ path, isAwaited: options.isAwaited })
      return core.follow(path, options)
    },
  }
  const ending = new AbortController()
  const clock = { now: () => 0, elapsed: () => 0, sleepUntil: () => Promise.resolve() }
  const following = { kube, settings, contact: new Contact(), clock, log: () => {}, changed: () => {}, signal: ending.signal }
  const cluster = followCluster(following)
  await cluster.synced
  const compared = () => awaited.filter(({ isAwaited }) => isAwaited?.()).map(({ path }) => path)
  expect(compared()).toEqual([])
  const nodes = { total: 1, current: 0, byPhase: { Applying: 1 } }
  cluster.pools.wrote(projectNodePool({ metadata: { name: 'workers', resourceVersion: '9999' }, status: { nodes } }))
  ending.abort()
  expect(compared()).toEqual(['/api/v1/nodes', nodePoolsPath(), '/api/v1/namespaces/nodewave-system/configmaps'])
})

test('what a former leader wrote is read in pages of no more than a list has otherwise: memory is not given back', async () => {
  const core = inProcessClient(createCore({ now: () => 0 }))
  await core.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
  const limits: unknown[] = []
  const kube: KubeApi = {
    ...core,
    list(path, options) {
      limits.push(options.limit)
      return core.list(path, options)
    },
  }
  const ending = new AbortController()
  const following = { kube, settings, contact: new Contact(), log: () => {}, changed: () => {}, signal: ending.signal }
  const cluster = followCluster({ ...following, clock: { now: () => 0, elapsed: () => 0, sleepUntil: () => Promise.resolve() } })
  await cluster.synced
  await cluster.catchUp()
  ending.abort()
  expect(new Set(limits)).toEqual(new Set([undefined]))
})

/** What is followed of the cluster, and what a new leader lists again: path and selector. */
async function readOf(more: Partial<ClusterSettings>) {
  const core = inProcessClient(createCore({ now: () => 0 }))
  await core.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
  const [followed, listed]: [string[], string[]] = [[], []]
  const kube: KubeApi = {
    ...core,
    follow(path, options) {
      followed.push(path)
      return core.follow(path, options)
    },
    list(path, options) {
      listed.push(`${path} ${options.labelSelector ?? options.fieldSelector ?? 'all'}`)
      return core.list(path, options)
    },
  }
  const ending = new AbortController()
  const following = { kube, contact: new Contact(), log: () => {}, changed: () => {}, signal: ending.signal }
  const clock = { now: () => 0, elapsed: () => 0, sleepUntil: () => Promise.resolve() }
  const cluster = followCluster({ ...following, settings: { ...settings, ...more }, clock })
  await cluster.synced
  await cluster.catchUp()
  ending.abort()
  return { followed, listed }
}

const ACCESS = ['roles', 'rolebindings'].map((each) => `/apis/rbac.authorization.k8s.io/v1/namespaces/nodewave-system/${each}`)
const SECRETS = ['host-secrets', 'nodewave-revisions'].map((namespace) => `/api/v1/namespaces/${namespace}/secrets`)

test.each<readonly [what: string, more: Partial<ClusterSettings>, followed: readonly string[]]>([
  ['the controller says which node may read what', {}, ACCESS],
  ['others say so', { payloadReaders: 'all' }, []],
  ['hosts get values of Secrets', { secretsNamespace: 'host-secrets' }, [...ACCESS, ...SECRETS]],
])('Roles and Secrets are followed as the settings say when %s', async (_, more, followed) => {
  const all = (await readOf(more)).followed
  expect(all.filter((path) => path.includes('rbac') || path.endsWith('/secrets'))).toEqual(followed)
})

test('a new leader lists again the ConfigMaps, Roles and RoleBindings that are its own, and no others', async () => {
  expect((await readOf({})).listed).toEqual([
    '/api/v1/nodes all',
    '/apis/nodewave.io/v1alpha1/nodepools all',
    '/api/v1/namespaces/nodewave-revisions/configmaps app.kubernetes.io/managed-by=nodewave,nodewave.io/kind=revision',
    '/api/v1/namespaces/nodewave-system/configmaps metadata.name=nodewave-fleet',
    `${ACCESS[0]} app.kubernetes.io/managed-by=nodewave,nodewave.io/kind=payload-access`,
    `${ACCESS[1]} app.kubernetes.io/managed-by=nodewave,nodewave.io/kind=payload-access`,
  ])
})
