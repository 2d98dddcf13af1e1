import { expect, test } from 'vitest'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { B, lateNodes, phasesOf, STATUS, statusOf, writesOf } from './late-nodes.ts'
import { Pause } from './pausable.ts'
import { aStage, NODES, POOLS, readyOf, type Stage } from './stage.ts'
import { twoPools } from './two-pools.ts'

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

test('no drain of another pool is called off for work that its node has ended in time, though the watch of nodes is behind', async () => {
  await using stage = await aStage()
  const pause = new Pause()
  const { kube, written } = writesOf(lateNodes(stage, pause))
  await stage.addNodes(1)
  const other = stage.aNode('c0') as KubeObject
  await stage.kube.create(NODES, { ...other, metadata: { ...other.metadata, labels: { role: 'canary' } } })
  let isSlow = false
  stage.startAgents(() => (isSlow ? 'works on' : 'applies'))
  const pools = (v: number) => {
    const files = twoPools(v, 'maxFailures: 1, proof: {pod: {mode: Never}}')['fleet.yaml'] ?? ''
    const drained = files.replace('dependsOn: [first]\n  rollout: {', 'rollout: {drain: {mode: Always, timeout: 5h}, ')
    return { 'fleet.yaml': drained.replace('historyLimit: 3', 'historyLimit: 3, maxFailures: 0') }
  }
  stage.push('a', pools(2))
  stage.startController({ kube })
  await stage.clock.passUntil(
    stage.until(POOLS, (found) => ['first', 'workers'].every((name) => readyOf(found.get(name)) === 'True Completed')),
    { atMost: 120_000 },
  )
  isSlow = true
  await aLastingPod(stage, 'n0')
  stage.push('b', pools(4))
  const begun = (found: ReadonlyMap<string, KubeObject>) =>
    phasesOf(found.get('first')).Applying === 1 && phasesOf(found.get('workers')).Draining === 1
  await stage.clock.passUntil(stage.until(POOLS, begun), { atMost: 120_000 })
  pause.begin()
  const nodes = await stage.until(NODES, () => true)
  const said = statusOf(nodes.get('c0'))
  const text = JSON.stringify({ ...said, phase: 'Applied', active: said.digest })
  await stage.kube.patch(`${NODES}/c0`, { metadata: { annotations: { [STATUS]: text } } })
  written.splice(0)
  const ended = stage.until(POOLS, (found) => phasesOf(found.get('first')).Applying === undefined)
  await stage.clock.passUntil(ended, { atMost: 3_600_000 })

  expect(written).toEqual([])
})

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
