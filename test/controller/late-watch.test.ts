import { expect, test } from 'vitest'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { aFleet } from './a-fleet.ts'
import { Pause } from './pausable.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'
import { twoPools } from './two-pools.ts'

const B = 'b'.repeat(40)
const PODS = '/api/v1/namespaces/nodewave-proof/pods'
const STATUS = 'nodewave.io/status'

const PROVED = 'waves: [{name: canary, nodes: 1, soak: 0s}], proof: {pod: {timeout: 30s}}'
const SOAKED = 'waves: [{name: canary, nodes: 1, soak: 60s}], proof: {pod: {mode: Never}}'

/** Nodes that run a first commit; the second one reaches the canary. */
async function aCanary(
  stage: Stage,
  { kube, rollout, nodes: count = 2 }: { readonly kube: KubeApi; readonly rollout: string; readonly nodes?: number },
): Promise<{ readonly canary: KubeObject; readonly stop: () => Promise<void> }> {
  await stage.addNodes(count)
  stage.startAgents()
  stage.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  const stop = stage.startController({ kube })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  const status = { images: [{ names: ['registry.k8s.io/pause:3.10'], sizeBytes: 300_000 }], allocatable: { pods: '110' } }
  for (const name of ['n0', 'n1']) await stage.kube.patch(`${NODES}/${name}/status`, { status })
  stage.push('b', aFleet({ v: 4, rollout }))
  const nodes = await stage.until(NODES, (found) => [...found.values()].some((node) => assignedRevision(node) === B))
  const canary = [...nodes.values()].find((node) => assignedRevision(node) === B) as KubeObject
  return { canary, stop }
}

/** Its agent puts the host back, and says so. */
async function rollsBack(stage: Stage, { metadata: { name } }: KubeObject): Promise<void> {
  const { metadata } = await stage.kube.get<KubeObject>(`${NODES}/${name}`)
  const { active: _active, ...said } = JSON.parse(metadata.annotations?.[STATUS] ?? '')
  const error = { reason: 'TrialFailed', message: 'the kubelet went bad' }
  const text = JSON.stringify({ ...said, phase: 'RolledBack', error })
  await stage.kube.patch(`${NODES}/${name}`, { metadata: { annotations: { [STATUS]: text } } })
}

/** The requests of one controller, whose watch of nodes may fall behind while all else arrives. */
function lateNodes(stage: Stage, pause: Pause): KubeApi {
  const kube = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  return {
    ...kube,
    async *follow(path, options) {
      for await (const event of kube.follow(path, options)) {
        if (path === NODES) await pause.over()
        yield event
      }
    },
  }
}

/** The writes of nodes. */
function writesOf(late: KubeApi): { readonly kube: KubeApi; readonly written: string[] } {
  const written: string[] = []
  const patch: KubeApi['patch'] = (path, body, options) => {
    if (path.startsWith(NODES)) written.push(`${path} ${Object.keys(annotationsIn(body)).join(' ')}`)
    return late.patch(path, body, options)
  }
  return { kube: { ...late, patch }, written }
}

function annotationsIn(body: unknown): object {
  return (body as { readonly metadata?: { readonly annotations?: object } }).metadata?.annotations ?? {}
}

test('a pod that ran after its node had gone back proves nothing, though the watch of nodes is behind that of pods', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const { kube, written } = writesOf(lateNodes(stage, pause))
  const { canary } = await aCanary(stage, { kube, rollout: PROVED })
  await stage.until(PODS, (pods) => pods.size === 1)
  const path = `${NODES}/${canary.metadata.name}`
  pause.begin()
  written.splice(0)
  await rollsBack(stage, canary)
  stage.startKubelets()
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RollingBack')
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) !== B))

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain('the kubelet went bad')
  // The note that the pod ran is refused once, and then the node is read; the other one is not touched.
  expect(written).toEqual([
    `${path} nodewave.io/proof`,
    `${path} nodewave.io/desired-config nodewave.io/history nodewave.io/proof`,
  ])
})

test('a node that is gone is written to once, and does not count any more, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const { kube, written } = writesOf(lateNodes(stage, pause))
  await stage.addNodes(2)
  stage.startAgents()
  stage.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  stage.startController({ kube })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  pause.begin()
  await stage.kube.delete(`${NODES}/n1`)
  written.splice(0)
  stage.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 2, proof: {pod: {mode: Never}}' }))
  const counted = stage.until(
    POOLS,
    (found) => conditionOf(found.get('workers'), 'Ready')?.message === '0 of 1 nodes are at bbbbbbb',
  )
  await stage.clock.passUntil(counted, { atMost: 60_000 })

  expect(written).toEqual([
    `${NODES}/n0 nodewave.io/desired-config nodewave.io/history`,
    `${NODES}/n1 nodewave.io/desired-config nodewave.io/history`,
  ])
})

test('a wave is not passed upon a soak that its node has not survived, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const { kube, written } = writesOf(lateNodes(stage, pause))
  const { canary } = await aCanary(stage, { kube, rollout: SOAKED })
  await stage.until(POOLS, (found) => phasesOf(found.get('workers')).Soaking === 1)
  pause.begin()
  written.splice(0)
  await rollsBack(stage, canary)
  const ended = stage.until(POOLS, (found) => /Roll(ed|ing)Back|Completed/.test(readyOf(found.get('workers'))))
  const pools = await stage.clock.passUntil(ended, { atMost: 60_000 })
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) !== B))

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain('the kubelet went bad')
  expect(written).toEqual([`${NODES}/${canary.metadata.name} nodewave.io/desired-config nodewave.io/history`])
})

test('a wave is not passed upon a node that is gone, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const { kube, written } = writesOf(lateNodes(stage, pause))
  const { canary } = await aCanary(stage, { kube, rollout: `maxUnavailable: 3, ${SOAKED}`, nodes: 3 })
  await stage.until(POOLS, (found) => phasesOf(found.get('workers')).Soaking === 1)
  pause.begin()
  await stage.kube.delete(`${NODES}/${canary.metadata.name}`)
  written.splice(0)
  const assigned = stage.until(
    NODES,
    (found) => found.size === 2 && [...found.values()].some((node) => assignedRevision(node) === B),
  )
  const nodes = await stage.clock.passUntil(assigned, { atMost: 120_000 })
  const [next] = [...nodes.values()].filter((node) => assignedRevision(node) === B)
  const counted = (message = '') => message.startsWith('0 of 2 nodes are at bbbbbbb')
  const pools = await stage.until(POOLS, (found) => counted(conditionOf(found.get('workers'), 'Reconciling')?.message))

  expect(written).toEqual([`${NODES}/${next?.metadata.name} nodewave.io/desired-config nodewave.io/history`])
  expect(conditionOf(pools.get('workers'), 'Reconciling')?.message).toContain('wave 1 of 2, "canary"')
})

/** As `kube`, but what the watch of nodes tells next comes when a node was looked for by its name; no deletion comes. */
function behindOnceRead(kube: KubeApi, { late, deletions }: { readonly late: Pause; readonly deletions: Pause }): KubeApi {
  return {
    ...kube,
    async list(path, options) {
      const found = await kube.list(path, options)
      if (options.fieldSelector !== undefined) late.end()
      return found
    },
    async *follow(path, options) {
      for await (const event of kube.follow(path, options)) {
        if (path === NODES && event.type === 'delete') await deletions.over()
        yield event
      }
    },
  }
}

test('a wave is not passed upon a node that is gone when the watch of nodes, which is behind, tells what it was before', async () => {
  await using stage = await aStage()
  const [late, deletions] = [new Pause(), new Pause()]
  const { kube, written } = writesOf(behindOnceRead(lateNodes(stage, late), { late, deletions }))
  const { canary } = await aCanary(stage, { kube, rollout: `maxUnavailable: 3, ${SOAKED}`, nodes: 3 })
  await stage.until(POOLS, (found) => phasesOf(found.get('workers')).Soaking === 1)
  const path = `${NODES}/${canary.metadata.name}`
  late.begin()
  deletions.begin()
  await stage.kube.patch(path, { metadata: { labels: { zone: 'a' } } })
  await stage.kube.delete(path)
  written.splice(0)
  const assigned = stage.until(NODES, (found) => [...found.values()].some((node) => assignedRevision(node) === B))
  await stage.clock.passUntil(assigned, { atMost: 120_000 })
  const pools = await stage.until(POOLS, (found) => found.get('workers')?.status !== undefined)

  expect(conditionOf(pools.get('workers'), 'Reconciling')?.message).toContain('wave 1 of 2, "canary"')
  expect(written).toHaveLength(1)
})

/** As `kube`, but no NodePool is created while it stands still. */
function slowToCreate(kube: KubeApi, pause: Pause): KubeApi {
  return {
    ...kube,
    async create(path, body, options) {
      if (path === POOLS) await pause.over()
      return kube.create(path, body, options)
    },
  }
}

test('no wave is passed upon a canary that has failed when the NodePool is deleted, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const [late, creation] = [new Pause(), new Pause()]
  const { kube, written } = writesOf(slowToCreate(lateNodes(stage, late), creation))
  const { canary } = await aCanary(stage, { kube, rollout: `onFailure: Halt, ${SOAKED}` })
  await stage.until(POOLS, (found) => phasesOf(found.get('workers')).Soaking === 1)
  late.begin()
  creation.begin()
  written.splice(0)
  await rollsBack(stage, canary)
  await stage.kube.delete(`${POOLS}/workers`)
  await stage.until(POOLS, (found) => !found.has('workers'))
  stage.clock.advance(120_000)
  creation.end()
  const ended = stage.until(POOLS, (found) => /Halted|wave 2/.test(JSON.stringify(found.get('workers')?.status)))
  const pools = await stage.clock.passUntil(ended, { atMost: 120_000 })

  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain('the kubelet went bad')
  expect(written).toEqual([])
})

test('a retried commit opens no second wave upon a canary that went bad since, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  await stage.addNodes(2)
  const canary = stage.aNode('c0') as KubeObject
  await stage.kube.create(NODES, { ...canary, metadata: { ...canary.metadata, labels: { role: 'worker', tier: 'canary' } } })
  let isSilent = false
  stage.startAgents((node) => (isSilent && node !== 'c0' ? 'says nothing' : 'applies'))
  const waves = 'waves: [{name: canary, nodes: {matchLabels: {tier: canary}}, soak: 1s}]'
  const rollout = `onFailure: Halt, ${waves}, proof: {pod: {mode: Never}}`
  stage.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  stage.startController({ kube: lateNodes(stage, pause) })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  isSilent = true
  stage.push('b', aFleet({ v: 4, rollout }))
  await stage.until(POOLS, (found) => phasesOf(found.get('workers')).Soaking === 1)
  const halted = stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False Halted')
  await stage.clock.passUntil(halted, { atMost: 600_000 })
  pause.begin()
  await rollsBack(stage, canary)
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/retry': B } } })
  const pools = await stage.until(POOLS, (found) => Object(found.get('workers')?.status).history.length === 3)

  expect(pools.get('workers')?.status).toMatchObject({
    history: [{ revision: B, result: 'Running' }, {}, {}],
    wave: { opened: ['canary'] },
  })
})

test('a pool does not begin with a commit that the pool before it seems to have completed, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const { kube, written } = writesOf(lateNodes(stage, pause))
  await stage.addNodes(1)
  const canary = stage.aNode('c0') as KubeObject
  await stage.kube.create(NODES, { ...canary, metadata: { ...canary.metadata, labels: { role: 'canary' } } })
  stage.startAgents()
  stage.push('a', twoPools(2, SOAKED))
  stage.startController({ kube })
  await stage.clock.passUntil(
    stage.until(POOLS, (found) => ['first', 'workers'].every((name) => readyOf(found.get(name)) === 'True Completed')),
    { atMost: 120_000 },
  )
  stage.push('b', twoPools(4, SOAKED))
  await stage.until(POOLS, (found) => phasesOf(found.get('first')).Soaking === 1)
  pause.begin()
  written.splice(0)
  await rollsBack(stage, canary)
  const ended = stage.until(POOLS, (found) => /Roll(ed|ing)Back|Completed/.test(readyOf(found.get('first'))))
  const pools = await stage.clock.passUntil(ended, { atMost: 120_000 })
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) !== B))

  expect(readyOf(pools.get('first'))).toBe('False RollingBack')
  expect(written).toEqual([`${NODES}/c0 nodewave.io/desired-config nodewave.io/history`])
})

test('a commit is not rejected for work that its node has ended in time, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  await stage.addNodes(1)
  let isSlow = false
  stage.startAgents(() => (isSlow ? 'works on' : 'applies'))
  const rollout = 'proof: {pod: {mode: Never}}'
  stage.push('a', aFleet({ rollout }))
  stage.startController({ kube: lateNodes(stage, pause) })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  isSlow = true
  stage.push('b', aFleet({ v: 4, rollout }))
  const applying = stage.until(POOLS, (found) => phasesOf(found.get('workers')).Applying === 1)
  await stage.clock.passUntil(applying, { atMost: 60_000 })
  pause.begin()
  const { n0 } = Object.fromEntries(await stage.until(NODES, () => true))
  const said = statusOf(n0)
  const text = JSON.stringify({ ...said, phase: 'Applied', active: said.digest })
  await stage.kube.patch(`${NODES}/n0`, { metadata: { annotations: { [STATUS]: text } } })
  const ended = stage.until(POOLS, (found) => /Completed|Roll(ed|ing)Back/.test(readyOf(found.get('workers'))))
  const pools = await stage.clock.passUntil(ended, { atMost: 3_600_000 })

  expect(readyOf(pools.get('workers'))).toBe('True Completed')
})

test('a drain is not called off for work that its node has ended in time, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const { kube, written } = writesOf(lateNodes(stage, pause))
  await stage.addNodes(2)
  let isSlow = false
  stage.startAgents(() => (isSlow ? 'works on' : 'applies'))
  stage.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  stage.startController({ kube })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  isSlow = true
  await aLastingPod(stage, 'n1')
  const drain = '{mode: Always, timeout: 5h}'
  stage.push('b', aFleet({ v: 4, rollout: `maxUnavailable: 2, drain: ${drain}, proof: {pod: {mode: Never}}` }))
  const begun = (found: Readonly<Record<string, number>>) => found.Applying === 1 && found.Draining === 1
  await stage.clock.passUntil(
    stage.until(POOLS, (found) => begun(phasesOf(found.get('workers')))),
    { atMost: 120_000 },
  )
  pause.begin()
  const nodes = await stage.until(NODES, () => true)
  const said = statusOf(nodes.get('n0'))
  const text = JSON.stringify({ ...said, phase: 'Applied', active: said.digest })
  await stage.kube.patch(`${NODES}/n0`, { metadata: { annotations: { [STATUS]: text } } })
  written.splice(0)
  const ended = stage.until(POOLS, (found) => phasesOf(found.get('workers')).Applying === undefined)
  await stage.clock.passUntil(ended, { atMost: 3_600_000 })

  expect(written.filter((line) => line.startsWith(`${NODES}/n1`))).toEqual([])
})

/** A pod of that node that a budget protects. */
async function aLastingPod({ kube }: Stage, nodeName: string): Promise<void> {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop', uid: 'shop', controller: true }]
  const labels = { app: 'shop' }
  await kube.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
  await kube.create('/apis/policy/v1/namespaces/shop/poddisruptionbudgets', {
    metadata: { name: 'shop' },
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  })
  const spec = { nodeName, containers: [{ name: 'main', image: 'shop:1' }] }
  await kube.create('/api/v1/namespaces/shop/pods', { metadata: { name: 'a', labels, ownerReferences }, spec })
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  await kube.patch('/api/v1/namespaces/shop/pods/a/status', { status })
}

test('work that its node has ended in time counts as no failure that a pool bears, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  await stage.addNodes(2)
  let isSlow = false
  stage.startAgents((node) => (isSlow && node === 'n0' ? 'works on' : 'applies'))
  const rollout = 'maxUnavailable: 2, maxFailures: 1, waves: [{name: canary, nodes: 2, soak: 1h}], proof: {pod: {mode: Never}}'
  stage.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  stage.startController({ kube: lateNodes(stage, pause) })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  isSlow = true
  stage.push('b', aFleet({ v: 4, rollout }))
  const others = (found: Readonly<Record<string, number>>) => found.Applying === 1 && found.Soaking === 1
  const applying = stage.until(POOLS, (found) => others(phasesOf(found.get('workers'))))
  await stage.clock.passUntil(applying, { atMost: 120_000 })
  pause.begin()
  const nodes = await stage.until(NODES, () => true)
  const said = statusOf(nodes.get('n0'))
  const text = JSON.stringify({ ...said, phase: 'Applied', active: said.digest })
  await stage.kube.patch(`${NODES}/n0`, { metadata: { annotations: { [STATUS]: text } } })
  const ended = stage.until(POOLS, (found) => phasesOf(found.get('workers')).Applying === undefined)
  const pools = await stage.clock.passUntil(ended, { atMost: 3_600_000 })

  const { history = [] } = (pools.get('workers')?.status ?? {}) as { readonly history?: readonly Record<string, unknown>[] }
  expect(history[0]).toMatchObject({ revision: B, result: 'Running' })
  expect(history[0]).not.toHaveProperty('failures')
})

test('a controller that begins when the API server is back passes no wave before agents could report what became of it', async () => {
  await using stage = await aStage()
  const { kube, written } = writesOf(createKubeClient({ server: stage.server.url, credentials: async () => ({}) }))
  const { canary, stop } = await aCanary(stage, { kube, rollout: SOAKED })
  await stage.until(POOLS, (found) => phasesOf(found.get('workers')).Soaking === 1)
  await stop()
  stage.clock.advance(3_600_000)
  written.splice(0)
  stage.startController({ kube })
  await stage.clock.awaited(60_000)
  await rollsBack(stage, canary)
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack')
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) !== B))

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain('the kubelet went bad')
  expect(written).toEqual([`${NODES}/${canary.metadata.name} nodewave.io/desired-config nodewave.io/history`])
})

test('a controller that begins when the API server is back rejects no commit before agents could report how their work ended', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  let isSlow = false
  stage.startAgents(() => (isSlow ? 'works on' : 'applies'))
  const rollout = 'proof: {pod: {mode: Never}}'
  stage.push('a', aFleet({ rollout }))
  const stop = stage.startController()
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  isSlow = true
  stage.push('b', aFleet({ v: 4, rollout }))
  const nodes = await stage.until(NODES, (found) => statusOf(found.get('n0')).phase === 'Applying')
  await stop()
  stage.clock.advance(3_600_000)
  stage.startController()
  await stage.clock.awaited(120_000)
  const said = statusOf(nodes.get('n0'))
  const text = JSON.stringify({ ...said, phase: 'Applied', active: said.digest })
  await stage.kube.patch(`${NODES}/n0`, { metadata: { annotations: { [STATUS]: text } } })
  const pools = await stage.until(POOLS, (found) => /Completed|Roll(ed|ing)Back/.test(readyOf(found.get('workers'))))

  expect(readyOf(pools.get('workers'))).toBe('True Completed')
})

function statusOf(node: KubeObject | undefined): { readonly phase?: string; readonly digest?: string } {
  return JSON.parse(node?.metadata.annotations?.[STATUS] ?? '{}')
}

function phasesOf(pool: KubeObject | undefined): Readonly<Record<string, number>> {
  return (pool?.status as { readonly nodes?: { readonly byPhase: Record<string, number> } } | undefined)?.nodes?.byPhase ?? {}
}
