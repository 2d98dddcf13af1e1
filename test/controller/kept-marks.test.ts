import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { dropping } from './dropping.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { atRevision, B, MINUTE, readiness, SECOND } from './some-faults.ts'
import { conditionOf, NODES, POOLS, readyOf } from './stage.ts'

test('a node whose mark beside its cordon is not kept is uncordoned again also where others write to the node at that moment', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  const { kube } = dropping(replicas, ['nodewave.io/cordoned-for'])
  let count = 0
  // As the node lifecycle controller, which adds a taint to each node that was cordoned.
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const answer = await kube.patch(path, body, options)
    if (Object(body).spec?.unschedulable) await replicas.kube.patch(path, { metadata: { labels: { at: String(count++) } } })
    return answer as never
  }
  await replicas.start('first', { kube: { ...kube, patch } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1, drain: {mode: Never}' }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 1, drain: {mode: Always}' }))
  await replicas.clock.advance(MINUTE)
  expect((await replicas.list(NODES)).map(({ spec }) => Object(spec).unschedulable)).toEqual([undefined, undefined])
})

test('a node whose mark beside its cordon is not kept is uncordoned also where the server is away at that moment', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { kube } = dropping(replicas, ['nodewave.io/cordoned-for'])
  let [isAway, cordons] = [false, 0]
  const patch: KubeApi['patch'] = async (path, body, options) => {
    if (isAway) throw refusal(503, 'ServiceUnavailable')
    const answer = await kube.patch(path, body, options)
    if (Object(body).spec?.unschedulable) isAway = ++cordons === 1
    return answer as never
  }
  await replicas.start('first', { kube: { ...kube, patch } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1, drain: {mode: Never}' }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 1, drain: {mode: Always}' }))
  await replicas.clock.advance(SECOND)
  expect(isAway).toBe(true)
  isAway = false
  await replicas.clock.advance(MINUTE)
  expect(Object((await replicas.get(`${NODES}/n0`)).spec).unschedulable).toBe(undefined)
})

test('a node whose mark beside its cordon is not kept is not cordoned again and again where each first attempt to lift it fails', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { kube } = dropping(replicas, ['nodewave.io/cordoned-for'])
  let [isBusy, cordons] = [false, 0]
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { unschedulable } = Object(Object(body).spec)
    const isRefused = isBusy && unschedulable === null
    if (unschedulable !== undefined) isBusy = unschedulable === true
    if (isRefused) throw refusal(503, 'ServiceUnavailable')
    if (unschedulable) cordons += 1
    return kube.patch(path, body, options)
  }
  await replicas.start('first', { kube: { ...kube, patch } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1, drain: {mode: Never}' }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 1, drain: {mode: Always}' }))
  await replicas.clock.advance(5 * MINUTE)
  expect(cordons).toBeLessThan(60)
  expect(Object((await replicas.get(`${NODES}/n0`)).spec).unschedulable).toBe(undefined)
})

test('a pool no longer names a node whose cordon the server refused to lift when somebody has uncordoned it', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const dropped = ['nodewave.io/cordoned-for']
  const { kube } = dropping(replicas, dropped)
  let isRefused = true
  const patch: KubeApi['patch'] = async (path, body, options) => {
    if (isRefused && Object(Object(body).spec).unschedulable === null) throw refusal(403, 'Forbidden')
    return kube.patch(path, body, options)
  }
  await replicas.start('first', { kube: { ...kube, patch } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1, drain: {mode: Never}' }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 1, drain: {mode: Always}' }))
  await replicas.clock.advance(MINUTE)
  expect(await readiness(replicas)).toBe('False WriteRefused')
  dropped.pop()
  isRefused = false
  await replicas.kube.patch(`${NODES}/n0`, { spec: { unschedulable: null } })
  await replicas.clock.advance(20 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0'])
  expect(await readiness(replicas)).toBe('True Completed')
})

test('a node whose mark beside its cordon the server does not keep is uncordoned again, the pool says why, and goes on once it is kept', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const rollout = 'maxUnavailable: 1, drain: {mode: Always}'
  replicas.startAgents()
  const dropped = ['nodewave.io/cordoned-for']
  const { found, kube } = dropping(replicas, dropped)
  await replicas.start('first', { kube })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1, drain: {mode: Never}' }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout }))
  await replicas.clock.advance(MINUTE)
  const pool = await replicas.get(`${POOLS}/workers`)
  expect(found.asked).toBeLessThan(60)
  expect((await replicas.list(NODES)).map(({ spec }) => Object(spec).unschedulable)).toEqual([undefined, undefined])
  expect(readyOf(pool)).toBe('False WriteRefused')
  expect(conditionOf(pool, 'Stalled')?.message).toContain(
    'the API server does not keep nodewave.io/cordoned-for as written; correct the webhook that changes it',
  )
  dropped.pop()
  await replicas.clock.advance(2 * MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})
