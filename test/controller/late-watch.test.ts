import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { aCanary, B, behindOnceRead, lateNodes, latePools, phasesOf, rollsBack, slowToCreate, writesOf } from './late-nodes.ts'
import { Pause } from './pausable.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf } from './stage.ts'
import { twoPools } from './two-pools.ts'

const PODS = '/api/v1/namespaces/nodewave-proof/pods'

const PROVED = 'waves: [{name: canary, nodes: 1, soak: 0s}], proof: {pod: {timeout: 30s}}'
const SOAKED = 'waves: [{name: canary, nodes: 1, soak: 60s}], proof: {pod: {mode: Never}}'

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

test('a wave is not passed upon a canary that has failed and has the label of another pool, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const { kube, written } = writesOf(lateNodes(stage, pause))
  let refused = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels, annotations } = Object(Object(body).metadata)
    if (!path.startsWith(NODES) || labels === undefined || annotations !== undefined) return kube.patch(path, body, options)
    refused += 1
    throw refusal(403, 'Forbidden')
  }
  const { canary } = await aCanary(stage, { kube: { ...kube, patch }, rollout: SOAKED })
  await stage.until(POOLS, (found) => phasesOf(found.get('workers')).Soaking === 1)
  await stage.kube.patch(`${NODES}/${canary.metadata.name}`, { metadata: { labels: { 'nodewave.io/pool': 'gpu' } } })
  while (refused === 0) await setImmediate()
  pause.begin()
  written.splice(0)
  await rollsBack(stage, canary)
  const ended = stage.until(POOLS, (found) => /RollingBack|wave 2/.test(JSON.stringify(found.get('workers')?.status)))
  await stage.clock.passUntil(ended, { atMost: 60_000 })
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) !== B))

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

test('nodes that were read for a failure are read again before a wave opens soon after, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  await stage.addNodes(2)
  const canaries = ['c0', 'c1'].map((name) => stage.aNode(name) as KubeObject)
  for (const { metadata, ...node } of canaries)
    await stage.kube.create(NODES, { ...node, metadata: { ...metadata, labels: { role: 'worker', tier: 'canary' } } })
  let isSlow = false
  stage.startAgents((node) => (isSlow && node === 'c1' ? 'works on' : 'applies'))
  const waves = 'waves: [{name: canary, nodes: {matchLabels: {tier: canary}}, soak: 55s}]'
  const rollout = `maxUnavailable: 4, maxFailures: 1, applyTimeout: 50s, ${waves}, proof: {pod: {mode: Never}}`
  stage.push('a', aFleet({ rollout: 'maxUnavailable: 4, proof: {pod: {mode: Never}}' }))
  stage.startController({ kube: lateNodes(stage, pause) })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.clock.advance(300_000)
  isSlow = true
  const overdueAt = stage.clock.now() + 50_000
  stage.push('b', aFleet({ v: 4, rollout }))
  const atWork = stage.until(POOLS, (found) => phasesOf(found.get('workers')).Applying === 1)
  await stage.clock.passUntil(atWork, { atMost: 2_000 })
  pause.begin()
  const [first, second] = canaries as [KubeObject, KubeObject]
  await rollsBack(stage, second)
  await stage.clock.awaited(overdueAt - stage.clock.now())
  stage.clock.advance(overdueAt - stage.clock.now())
  await stage.until(POOLS, (found) => Object(found.get('workers')?.status).history[0].failures === 1)
  await rollsBack(stage, first)
  const ended = stage.until(POOLS, (found) => /RollingBack|wave 2/.test(JSON.stringify(found.get('workers')?.status)))
  await stage.clock.passUntil(ended, { atMost: 20_000 })
  const nodes = await stage.until(NODES, () => true)

  expect(['n0', 'n1'].map((name) => assignedRevision(nodes.get(name)))).toEqual(['a'.repeat(40), 'a'.repeat(40)])
})

test('a NodePool that is gone is created again, and its nodes change, though the watch of NodePools is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const rollout = 'proof: {pod: {mode: Never}}'
  await stage.addNodes(2)
  stage.startAgents()
  stage.push('a', aFleet({ rollout }))
  stage.startController({ kube: latePools(stage, pause) })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  pause.begin()
  await stage.kube.delete(`${POOLS}/workers`)
  stage.push('b', aFleet({ v: 4, rollout }))
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === B))
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')

  expect(pools.get('workers')?.status).toMatchObject({ stable: { revision: B } })
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
