import { expect, test } from 'vitest'
import { type KubeApi, KubeError } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { atRevision, B, MINUTE, readiness, refusals, SECOND, SPARE } from './some-faults.ts'
import { conditionOf, POOLS, readyOf } from './stage.ts'

const C = 'c'.repeat(40)

test('pool rolls out at its own pace when the API server refuses to clear its retry annotation', async () => {
  await using replicas = await Replicas.create({ nodes: 6 })
  replicas.startAgents()
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { annotations } = Object(Object(body).metadata)
    if (path.startsWith(POOLS) && Object(annotations)['nodewave.io/retry'] === null) throw refusal(403, 'Forbidden')
    return replicas.kube.patch(path, body, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1' }))
  await replicas.clock.advance(MINUTE)
  await ask(replicas, { 'nodewave.io/retry': 'c0ffee1' })
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 1' }))
  await replicas.clock.advance(MINUTE)

  expect(await atRevision(replicas, B)).toHaveLength(6)
  expect((await refusals(replicas)).toSorted()).toEqual(['ActionRefused', 'RetryRefused'])
})

/** A client whose patches of pools that `isClear` picks meet a webhook. */
function refusingClears({ kube }: Replicas, isClear: (annotations: object) => boolean): KubeApi {
  return {
    ...kube,
    async patch(path, body, options) {
      const { annotations = {} } = Object(Object(body).metadata)
      if (path.startsWith(POOLS) && isClear(annotations))
        throw new KubeError('admission webhook "labels.example" denied the request', { code: 403, reason: 'Forbidden' })
      return kube.patch(path, body, options)
    },
  }
}

/** Annotations of the pool, which an operator writes. */
async function ask({ kube }: Replicas, annotations: Readonly<Record<string, string | null>>): Promise<void> {
  await kube.patch(`${POOLS}/workers`, { metadata: { annotations } })
}

const clearsRetry = (annotations: object): boolean => Object(annotations)['nodewave.io/retry'] === null

test('pool names the annotation that the API server refuses to clear, why, and what helps, until it is gone', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let refuses = true
  await replicas.start('first', { kube: refusingClears(replicas, (of) => refuses && clearsRetry(of)) })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await ask(replicas, { 'nodewave.io/retry': 'c0ffee1' })
  await replicas.clock.advance(MINUTE)

  const pool = await replicas.get(`${POOLS}/workers`)
  expect(readyOf(pool)).toBe('False WriteRefused')
  expect(conditionOf(pool, 'Stalled')?.message).toBe(
    'the API server refuses to clear the annotation nodewave.io/retry: admission webhook "labels.example" denied the request; ' +
      'the same request is ignored while it stands; correct what refuses it, such as a webhook or missing rights, ' +
      'or clear it: kubectl annotate nwp/workers nodewave.io/retry-',
  )
  await ask(replicas, { 'nodewave.io/retry': null })
  await replicas.clock.advance(SECOND)
  expect(await readiness(replicas)).toBe('True Completed')
  refuses = false
  await ask(replicas, { 'nodewave.io/retry': 'c0ffee1' })
  await replicas.clock.advance(SECOND)
  expect((await replicas.get(`${POOLS}/workers`)).metadata.annotations).toBeUndefined()
})

test('pool adds the annotation that cannot be cleared to what it says of a commit that failed', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents({ outcome: (_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies') })
  await replicas.start('first', { kube: refusingClears(replicas, clearsRetry) })
  replicas.push('a', aFleet({ rollout: 'onFailure: Rollback' }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'onFailure: Rollback' }))
  await replicas.clock.advance(MINUTE)
  await ask(replicas, { 'nodewave.io/retry': B })
  await replicas.clock.advance(2 * MINUTE)

  const pool = await replicas.get(`${POOLS}/workers`)
  expect(readyOf(pool)).toBe('False RolledBack')
  expect(conditionOf(pool, 'Stalled')?.message).toContain(
    '; also: the API server refuses to clear the annotation nodewave.io/retry: admission webhook',
  )
})

test('pool clears a rollback when the API server refuses to clear its retry annotation', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  await replicas.start('first', { kube: refusingClears(replicas, clearsRetry) })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  const asked = { 'nodewave.io/retry': 'c0ffee1', 'nodewave.io/rollback': 'c0ffee3' }
  await ask(replicas, asked)
  await replicas.clock.advance(MINUTE)

  const { metadata } = await replicas.get(`${POOLS}/workers`)
  expect(metadata.annotations).not.toHaveProperty(['nodewave.io/rollback'])
})

test('pool asks again later when the API server keeps the annotation that it says to have cleared', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let asked = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { annotations = {} } = Object(Object(body).metadata)
    if (!path.startsWith(POOLS) || !clearsRetry(annotations)) return replicas.kube.patch(path, body, options)
    asked += 1
    return replicas.kube.patch(path, { metadata: { annotations: { beat: `${asked}` } } }, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await ask(replicas, { 'nodewave.io/retry': 'c0ffee1' })
  await replicas.clock.advance(MINUTE)

  expect(asked).toBeLessThan(20)
  expect(await readiness(replicas)).toBe('False WriteRefused')
})

/** Somebody writes to the pool just before the first write that `isMeant` picks, and the watch of pools tells of it as soon as it `tells`. */
function aheadOfWatch({ kube }: Replicas, isMeant: (path: string, body: unknown) => boolean) {
  const [inTime, found] = [Promise.withResolvers<void>(), { asked: 0, tells: () => inTime.resolve() }]
  const before = async (path: string, body: unknown): Promise<void> => {
    if (!path.startsWith(POOLS) || !isMeant(path, body)) return
    found.asked += 1
    if (found.asked === 1) await kube.patch(path.replace(/\/status$/, ''), { metadata: { annotations: { beat: '1' } } })
  }
  const late: KubeApi = {
    ...kube,
    async patch(path, body, options) {
      await before(path, body)
      return kube.patch(path, body, options)
    },
    async replace(path, body, options) {
      await before(path, body)
      return kube.replace(path, body, options)
    },
    async delete(path, options) {
      await before(path, undefined)
      return kube.delete(path, options)
    },
    async *follow(path, options) {
      for await (const event of kube.follow(path, options)) {
        if (path === POOLS && found.asked > 0) await inTime.promise
        yield event
      }
    },
  }
  return { found, late }
}

test('pool clears a control at the second attempt when the watch does not tell of what somebody else wrote', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { found, late } = aheadOfWatch(replicas, (_, body) => clearsRetry(Object(Object(body).metadata).annotations ?? {}))
  await replicas.start('first', { kube: late })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await ask(replicas, { 'nodewave.io/retry': 'c0ffee1' })
  await replicas.clock.advance(MINUTE)

  expect(found.asked).toBe(2)
  expect((await replicas.get(`${POOLS}/workers`)).metadata.annotations).toEqual({ beat: '1' })
  found.tells()
})

test('pool writes its status at the second attempt when the watch does not tell of what somebody else wrote', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { found, late } = aheadOfWatch(replicas, (path, body) => path.endsWith('/status') && JSON.stringify(body).includes(B))
  await replicas.start('first', { kube: late })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)

  expect(found.asked).toBeLessThan(10)
  expect(await readiness(replicas)).toBe('True Completed')
  expect(await atRevision(replicas, B)).toEqual(['n0'])
  found.tells()
})

test('pool that left the repository is removed at the second attempt when the watch does not tell of what somebody else wrote', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { found, late } = aheadOfWatch(replicas, (path, body) => path === `${POOLS}/spare` && body === undefined)
  await replicas.start('first', { kube: late })
  replicas.push('a', aFleet({ more: SPARE }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet())
  await replicas.clock.advance(MINUTE)

  expect(found.asked).toBe(2)
  await expect(replicas.get(`${POOLS}/spare`)).rejects.toThrow('not found')
  found.tells()
})

test('pool gets the spec of the repository at the second attempt when the watch does not tell of what somebody else wrote', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { found, late } = aheadOfWatch(replicas, (_, body) => Array.isArray(body))
  await replicas.start('first', { kube: late })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)

  expect(found.asked).toBe(2)
  expect(await atRevision(replicas, B)).toEqual(['n0'])
  found.tells()
})

test('pool rolls out at its own pace when the API server refuses the second copy of which commits failed', async () => {
  await using replicas = await Replicas.create({ nodes: 6 })
  replicas.startAgents({ outcome: (_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies') })
  const patch: KubeApi['patch'] = async (path, body, options) => {
    if (path.startsWith('/api/v1/namespaces/nodewave-revisions/configmaps/')) throw refusal(403, 'Forbidden')
    return replicas.kube.patch(path, body, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1' }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 1' }))
  await replicas.clock.advance(MINUTE)
  const failed = await readiness(replicas)
  replicas.push('c', aFleet({ v: 5, rollout: 'maxUnavailable: 1' }))
  await replicas.clock.advance(MINUTE)

  expect(failed).toBe('False RolledBack')
  expect(await atRevision(replicas, C)).toHaveLength(6)
  expect(await refusals(replicas)).toEqual(['ActionRefused'])
})
