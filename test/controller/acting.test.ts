import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type KubeApi, KubeError, type KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const EVENTS = '/api/v1/namespaces/default/events'
const COMPLETED = 'True Completed'
const ONE_AT_A_TIME = 'maxUnavailable: 1'

const GPU = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec:
  nodeSelector: {matchLabels: {role: gpu}}
  kubelet: {flags: {v: 2}}
  rollout: {maxUnavailable: 1}
`

function isAt(revision: string, names?: readonly string[]) {
  return (nodes: ReadonlyMap<string, KubeObject>) =>
    (names ?? [...nodes.keys()]).every((name) => assignedRevision(nodes.get(name)) === revision)
}

async function completed(stage: Stage, pool = 'workers'): Promise<void> {
  await stage.until(POOLS, (found) => readyOf(found.get(pool)) === COMPLETED)
}

async function addGpuNodes(stage: Stage, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const node = stage.aNode(name) as KubeObject
    await stage.kube.create(NODES, { ...node, metadata: { ...node.metadata, labels: { role: 'gpu' } } })
  }
}

function isCordoned(node: KubeObject | undefined): boolean {
  return Object(node?.spec).unschedulable === true
}

/** Lets the clock go on, and does nothing else, until something has come of it. */
async function whileTimePasses<T>({ clock }: Stage, outcome: Promise<T>): Promise<T> {
  let isOver = false
  const over = outcome.finally(() => {
    isOver = true
  })
  while (!isOver) {
    clock.advance(1000)
    await turn()
  }
  return over
}

type Write = 'create' | 'replace' | 'patch' | 'delete'

/** A client whose writes pass through `before` first, which may hold one up, or refuse it. */
function guarded(stage: Stage, before: (verb: Write, path: string, body: unknown) => Promise<void> | void): KubeApi {
  const client = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  return {
    ...client,
    async create(path, body, options) {
      await before('create', path, body)
      return client.create(path, body, options)
    },
    async replace(path, body, options) {
      await before('replace', path, body)
      return client.replace(path, body, options)
    },
    async patch(path, body, options) {
      await before('patch', path, body)
      return client.patch(path, body, options)
    },
    async delete(path, options) {
      await before('delete', path, undefined)
      return client.delete(path, options)
    },
  }
}

test('an agent that says nothing is noticed after its time-out though nothing else happens in the cluster', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  let silent = false
  stage.startController()
  stage.startAgents(() => (silent ? 'says nothing' : 'applies'))
  const rollout = `${ONE_AT_A_TIME}, applyTimeout: 5m, agentTimeout: 1m`
  stage.push('a', aFleet({ rollout }))
  await completed(stage)
  silent = true
  stage.push('b', aFleet({ v: 4, rollout }))
  await stage.until(NODES, (found) => [...found.values()].some((node) => assignedRevision(node) === B))
  const pools = await whileTimePasses(
    stage,
    stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack'),
  )
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain('the agent has not started the assignment')
})

test('a payload that is refused holds up its own node alone, which the pool names with the words of the server', async () => {
  await using stage = await aStage()
  await stage.addNodes(4)
  stage.startAgents()
  let refuses = false
  const kube = guarded(stage, (verb, path, body) => {
    const isPayload = verb === 'create' && path.endsWith('/nodewave-system/configmaps')
    if (!refuses || !isPayload || !JSON.stringify(Object(body).data).includes('99')) return
    throw new KubeError('failed to create: admission webhook "secrets.scan" denied the request', {
      code: 403,
      reason: 'Forbidden',
    })
  })
  stage.startController({ kube })
  const rollout = 'maxUnavailable: 2, drain: {mode: Always}'
  stage.push('a', aFleet({ rollout }))
  await completed(stage)
  refuses = true
  const more = `---
apiVersion: nodewave.io/v1alpha1
kind: NodeOverride
metadata: {name: n2}
spec: {node: n2, config: {maxPods: 99}}
`
  stage.push('b', aFleet({ v: 3, rollout, more }))
  const pools = await stage.until(POOLS, (found) => {
    const tells = readyOf(found.get('workers')) === 'False WriteRefused'
    if (!tells) stage.clock.advance(1000)
    return tells && JSON.stringify(found.get('workers')?.status).includes('"current":3')
  })
  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toMatch(
    /"n2": failed to create: admission webhook "secrets.scan" denied/,
  )
  const nodes = await stage.until(NODES, isAt(B, ['n0', 'n1', 'n3']))
  expect(['n0', 'n1', 'n3'].filter((name) => isCordoned(nodes.get(name)))).toEqual([])
  refuses = false
  stage.clock.advance(300_000)
  await stage.until(NODES, isAt(B))
  await completed(stage)
})

test('a RoleBinding of a node that gives another Role is named with the words of the server, and its node alone waits', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  stage.startAgents()
  let isForeign = true
  const kube = guarded(stage, (verb, path) => {
    if (!isForeign || verb !== 'patch' || !path.endsWith('/rolebindings/nodewave-node-n1')) return
    const message = 'RoleBinding "nodewave-node-n1" is invalid: roleRef: Invalid value: "view": cannot change roleRef'
    throw new KubeError(message, { code: 422, reason: 'Invalid' })
  })
  stage.startController({ kube })
  stage.push('a', aFleet())
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False WriteRefused')
  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain(
    '"n1": RoleBinding "nodewave-node-n1" is invalid: roleRef: Invalid value: "view": cannot change roleRef',
  )
  const nodes = await stage.until(NODES, isAt(A, ['n0']))
  expect(assignedRevision(nodes.get('n1'))).toBeUndefined()
  isForeign = false
  stage.clock.advance(300_000)
  await stage.until(NODES, isAt(A))
})

test('a pool whose writes never end keeps no other pool from completing', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  await addGpuNodes(stage, ['g0', 'g1'])
  stage.startAgents()
  const late = Promise.withResolvers<void>()
  stage.startController({ kube: guarded(stage, (_, path) => (path.startsWith(`${NODES}/g`) ? late.promise : undefined)) })
  stage.push('a', aFleet({ rollout: ONE_AT_A_TIME, more: GPU }))
  await completed(stage)
  late.resolve()
  await completed(stage, 'gpu')
})

test('a node whose write never ends keeps the others of its pool from nothing but its own place, and not for a moment', async () => {
  await using stage = await aStage()
  await stage.addNodes(5)
  stage.startAgents()
  const late = Promise.withResolvers<void>()
  stage.startController({ kube: guarded(stage, (_, path) => (path === `${NODES}/n2` ? late.promise : undefined)) })
  stage.push('a', aFleet({ rollout: 'maxUnavailable: 2' }))
  await stage.until(NODES, isAt(A, ['n0', 'n1', 'n3', 'n4']))
  late.resolve()
  await whileTimePasses(stage, completed(stage))
})

test('counts that take long to be written keep no node of the pool waiting', async () => {
  await using stage = await aStage()
  await stage.addNodes(6)
  stage.startAgents()
  const late = Promise.withResolvers<void>()
  let held = 0
  const kube = guarded(stage, (verb, _, body) => {
    const { current = 0, total = 0 } = Object(body).status?.nodes ?? {}
    if (verb !== 'replace' || current === 0 || current === total) return
    held += 1
    return late.promise
  })
  stage.startController({ kube })
  stage.push('a', aFleet({ rollout: ONE_AT_A_TIME }))
  await stage.until(NODES, (found) => {
    if (held === 0) stage.clock.advance(400)
    return isAt(A)(found)
  })
  expect(held).toBe(1)
  late.resolve()
  await whileTimePasses(stage, completed(stage))
})

test('a good commit is not rejected for an outage of the API server that lasted longer than its time-out', async () => {
  await using stage = await aStage()
  await stage.addNodes(4)
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'works on' : 'applies'))
  let away = false
  const guard = (): void => {
    if (away) throw new KubeError('connect ECONNREFUSED', { code: 0, reason: 'Unreachable' })
  }
  const kube = guarded(stage, guard)
  const get: KubeApi['get'] = async (...of) => {
    guard()
    return kube.get(...of)
  }
  stage.startController({ kube: { ...kube, get } })
  const rollout = 'maxUnavailable: 2, applyTimeout: 10m'
  stage.push('a', aFleet({ rollout }))
  await completed(stage)
  stage.push('b', aFleet({ v: 4, rollout }))
  const applying = (found: ReadonlyMap<string, KubeObject>) =>
    [...found.values()].filter((node) => node.metadata.annotations?.['nodewave.io/status']?.includes('Applying')).length === 2
  await stage.until(NODES, applying)
  away = true
  // Something is to be written, and fails.
  await stage.kube.patch(`${NODES}/n0`, { metadata: { annotations: { 'nodewave.io/hold': 'for the test' } } })
  await stage.logged((line) => line.includes('ECONNREFUSED'))
  for (let second = 0; second < 11 * 60; second += 10) {
    stage.clock.advance(10_000)
    await stage.clock.awaited(2_000)
  }
  away = false
  stage.clock.advance(2_000)
  stage.clock.advance(10_000)
  const pools = await stage.until(POOLS, (found) => {
    stage.clock.advance(1000)
    return JSON.stringify(found.get('workers')?.status).includes('"Held":1')
  })
  expect(pools.get('workers')?.status).toMatchObject({ rejected: [], target: { revision: B } })
})

test('a node that moves to a pool of equal content gets the label of that pool', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet({ rollout: ONE_AT_A_TIME, more: GPU }))
  await completed(stage)
  await stage.kube.patch(`${NODES}/n1`, { metadata: { labels: { role: 'gpu' } } })
  const nodes = await stage.until(NODES, (found) => found.get('n1')?.metadata.labels?.['nodewave.io/pool'] === 'gpu')
  expect(isCordoned(nodes.get('n1'))).toBe(false)
})

test('a node that was assigned something and lost the label of its pool gets that label again', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet({ rollout: ONE_AT_A_TIME }))
  await completed(stage)
  await stage.kube.patch(`${NODES}/n0`, { metadata: { labels: { 'nodewave.io/pool': null } } })
  const nodes = await stage.until(NODES, (found) => found.get('n0')?.metadata.labels?.['nodewave.io/pool'] === 'workers')
  expect(isCordoned(nodes.get('n0'))).toBe(false)
})

test('an event tells of nothing whose status could not be written', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  let refuses = false
  const kube = guarded(stage, (_, path) => {
    if (refuses && path.endsWith('/status'))
      throw new KubeError('admission webhook failed', { code: 500, reason: 'InternalError' })
  })
  stage.startController({ kube })
  stage.startAgents()
  stage.push('a', aFleet({ rollout: ONE_AT_A_TIME }))
  await completed(stage)
  refuses = true
  stage.push('b', aFleet({ v: 4, rollout: ONE_AT_A_TIME }))
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'ActionRefused'))
  expect([...events.values()].filter(({ message }) => String(message).includes('bbbbbbb'))).toEqual([])
})

test('events of a decision are written though its actions fail', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  let refuses = false
  const kube = guarded(stage, (verb, path) => {
    if (refuses && verb === 'patch' && path.startsWith(NODES))
      throw new KubeError('connection refused', { code: 0, reason: 'Unreachable' })
  })
  stage.startController({ kube })
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies'))
  stage.push('a', aFleet({ rollout: ONE_AT_A_TIME }))
  await completed(stage)
  stage.push('b', aFleet({ v: 4, rollout: ONE_AT_A_TIME }))
  await stage.until(NODES, (found) => {
    refuses ||= [...found.values()].some((node) => assignedRevision(node) === B)
    return refuses
  })
  await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'RolledBack'))
})

test('an edit of a NodePool that the repository undoes is an event on it', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await completed(stage)
  const edit = [{ op: 'replace', path: '/spec/kubelet/flags/v', value: 9 }]
  await stage.kube.patch(`${POOLS}/workers`, edit, { type: 'json' })
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'SpecRestored'))
  expect([...events.values()].find(({ reason }) => reason === 'SpecRestored')).toMatchObject({
    type: 'Warning',
    involvedObject: { kind: 'NodePool', name: 'workers' },
    message: 'the spec was edited in the cluster and has been restored from the repository: change it there',
  })
})

test('a node is uncordoned though the status of its pool cannot be written', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  let refuses = false
  const kube = guarded(stage, (_, path) => {
    if (refuses && path.endsWith('/status'))
      throw new KubeError('admission webhook failed', { code: 500, reason: 'InternalError' })
  })
  stage.startController({ kube })
  const rollout = `${ONE_AT_A_TIME}, drain: {mode: Always}`
  stage.push('a', aFleet({ rollout }))
  await stage.until(NODES, (found) => [...found.values()].some((node) => isCordoned(node) && assignedRevision(node) === A))
  refuses = true
  stage.startAgents()
  await stage.until(NODES, (found) => [...found.values()].some((node) => !isCordoned(node) && assignedRevision(node) === A))
})
