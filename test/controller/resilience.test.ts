import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { projectNode } from '../../src/controller/cache/cluster-node.ts'
import { systemClock } from '../../src/controller/clock/system-clock.ts'
import { createCompiler } from '../../src/controller/revisions/compile.ts'
import { type KubeApi, KubeError, type KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { ManualTimers } from '../kube/manual-timers.ts'
import { aFleet } from './a-fleet.ts'
import { aSnapshot } from './a-snapshot.ts'
import { mortalKube } from './mortal-kube.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const EVENTS = '/api/v1/namespaces/default/events'
const COMPLETED = 'True Completed'
const TWO_WAVES = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 1'

function isAt(revision: string) {
  return (nodes: ReadonlyMap<string, KubeObject>) => [...nodes.values()].every((node) => assignedRevision(node) === revision)
}

/** A pool that completed revision A. */
async function settled(stage: Stage): Promise<void> {
  const stop = stage.startController()
  stage.push('a', aFleet({ rollout: TWO_WAVES }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
  await stop()
}

/** Runs a controller that is killed before its write number `lives`, and then one that is not. @returns whether the first one died. */
async function killed(stage: Stage, { lives, ended }: { lives: number; ended: () => Promise<unknown> }): Promise<boolean> {
  const client = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  const death = Promise.withResolvers<boolean>()
  const { kube } = mortalKube(client, { lives, died: () => death.resolve(true) })
  const stop = stage.startController({ kube })
  const died = await Promise.race([death.promise, ended().then(() => false)])
  await stop()
  stage.startController()
  await ended()
  return died
}

/** Plays a scene again for every write at which the controller may be killed. @returns at how many it was. */
async function atEveryWrite(scene: (lives: number) => Promise<boolean>): Promise<number> {
  let lives = 0
  while (await scene(lives)) lives += 1
  return lives
}

test('a controller killed before any of its writes is followed by one that comes to the same end', async () => {
  const deaths = await atEveryWrite(async (lives) => {
    await using stage = await aStage()
    await stage.addNodes(4)
    stage.startAgents()
    stage.push('a', aFleet({ rollout: TWO_WAVES }))
    const ended = () => stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
    const died = await killed(stage, { lives, ended })
    expect(isAt(A)(await stage.until(NODES, () => true))).toBe(true)
    return died
  })
  expect(deaths).toBeGreaterThan(8)
})

test('a commit that failed is not tried again, whenever the controller is killed', async () => {
  const deaths = await atEveryWrite(async (lives) => {
    await using stage = await aStage()
    await stage.addNodes(3)
    const tried: string[] = []
    stage.startAgents((node, { REVISION }) => {
      if (REVISION === B) tried.push(node)
      return REVISION === B ? 'rolls back' : 'applies'
    })
    await settled(stage)
    stage.push('b', aFleet({ rollout: TWO_WAVES, v: 4 }))
    const died = await killed(stage, {
      lives,
      async ended() {
        await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack')
        await stage.until(NODES, isAt(A))
      },
    })
    expect(tried.length).toBe(1)
    return died
  })
  expect(deaths).toBeGreaterThan(4)
})

test('a controller that starts with the repository out of reach goes on from what the cluster keeps', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  stage.startAgents()
  await settled(stage)
  stage.source.loseContact()
  await stage.kube.create(NODES, stage.aNode('late'))
  stage.startController()
  await stage.until(NODES, isAt(A))
})

test('an API server that is away in the middle of a wave is waited for', async () => {
  await using stage = await aStage()
  await stage.addNodes(6)
  const third = Promise.withResolvers<void>()
  let answered = 0
  stage.startAgents(() => {
    answered += 1
    if (answered === 3) third.resolve()
    return 'applies'
  })
  stage.startController({ clock: systemClock })
  stage.push('a', aFleet({ rollout: TWO_WAVES }))
  await third.promise
  stage.server.stop()
  stage.server.start()
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
  expect(isAt(A)(await stage.until(NODES, () => true))).toBe(true)
})

test('what failed while the API server was away is done as soon as a watch is open again, not at the end of the backoff', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  const timers = new ManualTimers()
  const connection = { server: stage.server.url, credentials: async () => ({}) }
  stage.startController({ kube: createKubeClient(connection, { timers, random: () => 0.5 }) })
  stage.push('a', aFleet())
  await stage.until(NODES, isAt(A))
  stage.server.stop()
  const failed = stage.logged((line) => line.startsWith('warn pass failed'))
  stage.push('b', aFleet({ v: 4 }))
  await failed
  stage.clock.advance(6_000)
  stage.server.start()
  timers.advance(800)
  await stage.until(NODES, isAt(B))
})

test('a watch that is cut and forgotten is taken up again', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  stage.startAgents()
  // A write that was cut is done again after a while.
  stage.startController({ clock: systemClock })
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
  stage.server.compact()
  stage.server.breakConnections()
  stage.push('b', aFleet({ v: 4 }))
  await stage.until(NODES, isAt(B))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
})

test('a server that refuses for a while what it gave before does not end the controller', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  stage.startController()
  stage.push('a', aFleet())
  await stage.until(NODES, isAt(A))
  const refused = stage.logged((line) => line.startsWith('error follow "/api/v1/nodes"'))
  stage.server.faults.failNext({ verb: 'watch', resource: 'nodes', code: 403 })
  stage.server.breakConnections()
  await refused
  stage.push('b', aFleet({ v: 4 }))
  stage.clock.advance(5000)
  await stage.until(NODES, isAt(B))
})

test('a node that changed since the decision is decided again', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startAgents()
  stage.startController()
  stage.server.faults.failNext({ verb: 'patch', resource: 'nodes', code: 409, times: 2 })
  stage.push('a', aFleet())
  await stage.heartbeat('n0', 1)
  await stage.until(NODES, (found) => [...found.values()].filter((node) => assignedRevision(node) === A).length >= 1)
  for (const name of ['n0', 'n1', 'n2']) await stage.heartbeat(name, 2)
  stage.clock.advance(1_000)
  await stage.until(NODES, isAt(A))
})

test('a node whose assignment the server refuses for good is told of, and the others go on', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startController()
  stage.server.faults.failNext({ verb: 'patch', resource: 'nodes', code: 403, times: 1 })
  stage.push('a', aFleet())
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'AssignmentRefused'))
  expect([...events.values()].find(({ reason }) => reason === 'AssignmentRefused')).toMatchObject({
    type: 'Warning',
    involvedObject: { kind: 'Node', uid: expect.stringMatching(/^n\d$/) },
  })
  stage.clock.advance(10_000)
  await stage.until(NODES, isAt(A))
})

test('a pool whose payload is not ours to write says so, and does not keep another pool from going on', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  await stage.kube.create(NODES, { metadata: { name: 'gpu', labels: { gpu: 'yes' } } })
  const more = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec: {nodeSelector: {matchLabels: {gpu: "yes"}}}
`
  const files = aFleet({ more })
  const gpu = createCompiler({ namespace: 'nodewave-system' })(aSnapshot('a', files)).pools.get('gpu')
  const rendered = gpu?.render(projectNode(namesFor())({ metadata: { name: 'gpu' } }).facts)
  const [payload] = rendered?.kind === 'config' ? rendered.payloads : []
  const metadata = { name: payload?.name }
  await stage.kube.create('/api/v1/namespaces/nodewave-system/configmaps', { metadata, data: { host: 'mine' } })
  stage.startController()
  stage.startAgents()
  stage.push('a', files)
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'ActionRefused'))
  expect([...events.values()].find(({ reason }) => reason === 'ActionRefused')).toMatchObject({
    involvedObject: { kind: 'NodePool', name: 'gpu' },
    message: `create ConfigMap "${payload?.name}": one with this name and other content exists; delete it`,
  })
  await stage.until(NODES, (found) => assignedRevision(found.get('n0')) === A)
})

test('a person who has just pushed has the repository looked at now', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startAgents()
  stage.startController()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
  expect(stage.source.looks).toBe(0)
  const looked = stage.source.looked()
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/reconcile-at': 'now' } } })
  await looked
  expect(stage.source.looks).toBe(1)
})

test('a commit that cannot be kept is not taken, the pools stay, and it is taken once it can be', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startAgents()
  stage.startController()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === COMPLETED)
  stage.server.faults.failNext({ verb: 'create', resource: 'configmaps', code: 403, times: 1 })
  const failed = stage.logged((line) => line.startsWith('warn pass failed'))
  stage.push('b', aFleet({ v: 4 }))
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False InvalidRepository')
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain(`commit "${B}" cannot be stored: failed to create`)
  await failed
  stage.clock.advance(10_000)
  await stage.until(NODES, isAt(B))
})

/** As where a webhook is broken for one object. */
function failingFor(kube: KubeApi, path: string): KubeApi {
  const error = new KubeError('failed calling webhook "check.example.com"', { code: 500, reason: 'InternalError' })
  const patch: KubeApi['patch'] = (at, ...more) => (at === path ? Promise.reject(error) : kube.patch(at, ...more))
  const create: KubeApi['create'] = (at, ...more) => (at === path ? Promise.reject(error) : kube.create(at, ...more))
  const replace: KubeApi['replace'] = (at, ...more) => (at === path ? Promise.reject(error) : kube.replace(at, ...more))
  return { ...kube, patch, create, replace }
}

const TWO_POOLS = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: others}
spec: {nodeSelector: {matchLabels: {role: other}}}
`

test('a node that a webhook fails for is told of, and keeps neither its pool nor another one from going on', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  await stage.kube.create(NODES, { metadata: { name: 'other', labels: { role: 'other' } } })
  stage.startController({ kube: failingFor(stage.kube, `${NODES}/n1`) })
  stage.push('a', aFleet({ more: TWO_POOLS }))
  const nodes = await stage.until(NODES, (found) =>
    ['n0', 'n2', 'other'].every((name) => assignedRevision(found.get(name)) === A),
  )
  expect(assignedRevision(nodes.get('n1'))).toBeUndefined()
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'AssignmentRefused'))
  expect([...events.values()].map(({ involvedObject }) => Object(involvedObject).name)).toContain('n1')
})

test('a pool whose status cannot be written does not keep another one from going on', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  await stage.kube.create(NODES, { metadata: { name: 'other', labels: { role: 'other' } } })
  stage.startController({ kube: failingFor(stage.kube, `${POOLS}/others/status`) })
  stage.push('a', aFleet({ more: TWO_POOLS }))
  await stage.until(NODES, (found) => assignedRevision(found.get('n0')) === A)
})

test('a commit that a webhook keeps from being kept stops nothing of what was accepted before', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startAgents()
  await settled(stage)
  stage.startController({ kube: failingFor(stage.kube, '/api/v1/namespaces/nodewave-revisions/configmaps') })
  const failed = stage.logged((line) => line.startsWith('warn pass failed'))
  stage.push('b', aFleet({ v: 4 }))
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False InvalidRepository')
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain('cannot be stored: failed calling webhook')
  await failed
  await stage.kube.create(NODES, stage.aNode('late'))
  stage.clock.advance(1000)
  await stage.until(NODES, (found) => assignedRevision(found.get('late')) === A)
})

test('a commit that this version fails to read is not taken, and stops nothing of what was accepted before', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startAgents()
  await settled(stage)
  stage.startController()
  const broken = {
    kind: 'file',
    get bytes(): Uint8Array {
      throw new TypeError('a mistake of ours')
    },
  } as const
  stage.source.tell({ kind: 'head', snapshot: { ...aSnapshot('b'), files: new Map([['fleet.yaml', broken]]) } })
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False InvalidRepository')
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain('internal failure: TypeError: a mistake of ours')
  await stage.kube.create(NODES, stage.aNode('late'))
  await stage.until(NODES, (found) => assignedRevision(found.get('late')) === A)
})

test('a fleet beside pictures and programs is kept without them', async () => {
  await using stage = await aStage()
  stage.startController()
  stage.push('a', { ...aFleet(), 'picture.png': randomBytes(1_500_000).toString('base64') })
  const kept = await stage.until('/api/v1/namespaces/nodewave-revisions/configmaps', (found) => found.size > 0)
  expect([...kept.keys()]).toEqual(['fleet-aaaaaaaaaaaa-0'])
  expect([...kept.values()][0]?.metadata.annotations?.['nodewave.io/parts']).toBe('1')
})
