import { expect, test } from 'vitest'
import { type KubeApi, KubeError, type KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const B = 'b'.repeat(40)
const PODS = '/api/v1/namespaces/shop/pods'
const BUDGETS = '/apis/policy/v1/namespaces/shop/poddisruptionbudgets'

/** Two nodes that run a first commit; the returned function ends its controller. */
async function aShop(stage: Stage): Promise<() => Promise<void>> {
  await stage.kube.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
  await stage.addNodes(2)
  stage.startAgents()
  stage.push('a', aFleet())
  const stop = stage.startController()
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  return stop
}

/** A second commit, which takes one node after the other and drains it. */
function change(stage: Stage, drain = '', maxUnavailable = 1): void {
  stage.push('b', aFleet({ v: 4, rollout: `maxUnavailable: ${maxUnavailable}, drain: {mode: Always, ${drain}}` }))
}

async function aPod(stage: Stage, name: string, { node, owner = 'ReplicaSet' }: { node: string; owner?: string }): Promise<void> {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: owner, name: 'shop', uid: 'shop', controller: true }]
  const spec = { nodeName: node, containers: [{ name: 'main', image: 'shop:1' }] }
  await stage.kube.create(PODS, { metadata: { name, labels: { app: 'shop' }, ownerReferences }, spec })
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  await stage.kube.patch(`${PODS}/${name}/status`, { status })
}

function aBudget(minAvailable: number): object {
  return { metadata: { name: 'shop' }, spec: { minAvailable, selector: { matchLabels: { app: 'shop' } } } }
}

/** Until the pool tells which budget it is; texts of a status come up to a second late, one after the other. */
async function blocked(stage: Stage): Promise<void> {
  await stage.requested(() => evictions(stage).length > 0)
  stage.clock.advance(1_000)
  await stage.until(POOLS, (found) => {
    const tells = /Budget "shop"/.test(conditionOf(found.get('workers'), 'Ready')?.message ?? '')
    if (!tells) stage.clock.advance(1_000)
    return tells
  })
}

function evictions({ requests }: Stage): string[] {
  return requests.filter((line) => line.endsWith('/eviction')).map((line) => line.split('/').at(-2) ?? '')
}

test('an upgrade drains one node after the other, with three requests a node and one eviction a pod', async () => {
  await using stage = await aStage()
  await aShop(stage)
  await aPod(stage, 'a', { node: 'n0' })
  await aPod(stage, 'b', { node: 'n1' })
  await aPod(stage, 'agent', { node: 'n1', owner: 'DaemonSet' })
  const before = stage.requests.length
  const cordoned: string[] = []
  change(stage)
  const nodes = await stage.until(NODES, (found) => {
    const now = [...found.values()].filter(({ spec }) => (spec as { unschedulable?: boolean }).unschedulable)
    cordoned.push(now.map(({ metadata }) => metadata.name).join('+'))
    return [...found.values()].every((node) => assignedRevision(node) === B) && now.length === 0
  })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  expect([...new Set(cordoned)].toSorted()).toEqual(['', 'n0', 'n1'])
  expect([...(await stage.until(PODS, () => true)).keys()]).toEqual(['agent'])
  expect(evictions(stage).toSorted()).toEqual(['a', 'b'])
  expect(stage.requests.slice(before).filter((line) => line.startsWith(`PATCH ${NODES}/`)).length).toBe(2 * 3)
  expect([...nodes.values()].map((node) => node.metadata.annotations?.['nodewave.io/cordoned-for'])).toEqual([
    undefined,
    undefined,
  ])
})

test('a drain that a budget blocks names pod and budget, and goes on as soon as the budget lets it', async () => {
  await using stage = await aStage()
  await aShop(stage)
  for (const name of ['a', 'b']) await aPod(stage, name, { node: name === 'a' ? 'n0' : 'n1' })
  await stage.kube.create(BUDGETS, aBudget(2))
  change(stage, 'timeout: 1m')
  await blocked(stage)
  expect(evictions(stage)).toHaveLength(1)
  stage.clock.advance(60_000)
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False DrainBlocked')
  expect(conditionOf(pools.get('workers'), 'Stalled')).toMatchObject({ status: 'True', reason: 'DrainBlocked' })
  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toMatch(
    /^"n\d", drained since \S+Z: pod "shop\/[ab]" is protected by PodDisruptionBudget "shop", which needs 2 healthy pods and has 2$/,
  )
  await stage.kube.patch(`${BUDGETS}/shop`, { spec: { minAvailable: 0 } })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  expect(evictions(stage).length).toBeLessThanOrEqual(4)
})

test('a refused eviction is asked for again after five seconds, not before', async () => {
  await using stage = await aStage()
  await aShop(stage)
  await stage.kube.patch(`${NODES}/n1`, { spec: { unschedulable: true } })
  await aPod(stage, 'a', { node: 'n0' })
  await stage.kube.create(BUDGETS, aBudget(1))
  const before = stage.clock.now()
  change(stage, '', 2)
  await blocked(stage)
  for (let beat = 0; beat < 5; beat += 1) await stage.heartbeat('n0', beat)
  stage.clock.advance(before + 4_900 - stage.clock.now())
  // Heard after the heartbeats and the time that passed: by then a second eviction would be asked for, if it were.
  await stage.kube.patch(`${NODES}/n1`, { metadata: { annotations: { 'nodewave.io/hold': 'for the test' } } })
  await stage.until(POOLS, (found) => JSON.stringify(found.get('workers')?.status).includes('"Held":1'))
  expect(evictions(stage)).toHaveLength(1)
  stage.clock.advance(1_100)
  await stage.requested(() => evictions(stage).length === 2)
})

test('a controller that starts again goes on with the drain, by the deadline that the node bears', async () => {
  await using stage = await aStage()
  const stop = await aShop(stage)
  await aPod(stage, 'a', { node: 'n0' })
  await aPod(stage, 'b', { node: 'n1' })
  await stage.kube.create(BUDGETS, aBudget(2))
  change(stage, 'timeout: 1m, onTimeout: Proceed')
  await blocked(stage)
  await stop()
  stage.clock.advance(60_000)
  stage.startController()
  await stage.until(NODES, (found) => ['n0', 'n1'].some((name) => assignedRevision(found.get(name)) === B))
})

test('a cordon of ours on a node that belongs to no pool any more is taken back', async () => {
  await using stage = await aStage()
  await aShop(stage)
  await aPod(stage, 'a', { node: 'n0' })
  await aPod(stage, 'b', { node: 'n1' })
  await stage.kube.create(BUDGETS, aBudget(2))
  change(stage)
  const isCordoned = (node?: KubeObject) => (node?.spec as { unschedulable?: boolean })?.unschedulable === true
  const found = await stage.until(NODES, (nodes) => [...nodes.values()].some(isCordoned))
  const [name = ''] = [...found].find(([, node]) => isCordoned(node)) ?? []
  await stage.kube.patch(`${NODES}/${name}`, { metadata: { labels: { role: null } } })
  const nodes = await stage.until(NODES, (all) => !isCordoned(all.get(name)))
  expect(nodes.get(name)?.metadata.annotations?.['nodewave.io/cordoned-for']).toBeUndefined()
})

test('pods that may not be read are told of, and the node stays cordoned', async () => {
  await using stage = await aStage()
  const kube = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  const refused = new KubeError('list "/api/v1/pods": pods is forbidden', { code: 403, reason: 'Forbidden' })
  const follow: KubeApi['follow'] = (path, options) => {
    if (path !== '/api/v1/pods') return kube.follow(path, options)
    stage.clock.advance(1_000)
    throw refused
  }
  await stage.addNodes(1)
  stage.startAgents()
  stage.startController({ kube: { ...kube, follow } })
  change(stage)
  await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Ready')?.message.includes('pods is forbidden') ?? false)
  expect(assignedRevision((await stage.until(NODES, () => true)).get('n0'))).toBeUndefined()
})
