import { expect, test } from 'vitest'
import { projectConfigMap } from '../../src/controller/cache/stored-config-map.ts'
import { keptRevisions } from '../../src/controller/revisions/revision-store.ts'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { LEASE, type Replica, Replicas } from './replicas.ts'
import { assignedRevision, NODES, POOLS, readyOf } from './stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const C = 'c'.repeat(40)
const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'
const REVISIONS = '/api/v1/namespaces/nodewave-revisions/configmaps'
const SECOND = 1000
const ONE_BY_ONE = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 1'

async function assigned(replicas: Replicas): Promise<(string | undefined)[]> {
  return (await replicas.list(NODES)).map((node) => assignedRevision(node)?.[0])
}

async function isCompleted(replicas: Replicas, revision: string): Promise<boolean> {
  const [pool] = await replicas.list(POOLS)
  const { stable } = (pool?.status ?? {}) as { stable?: { revision: string } }
  return readyOf(pool) === 'True Completed' && stable?.revision === revision
}

/** `first` leads and has brought everybody to A; `second` stands by. */
async function aPair(nodes = 3): Promise<{ replicas: Replicas; first: Replica; second: Replica }> {
  const replicas = await Replicas.create({ nodes })
  replicas.startAgents()
  const first = await replicas.start('first')
  const second = await replicas.start('second', { skew: -3_600_000 })
  replicas.push('a', aFleet({ rollout: ONE_BY_ONE }))
  await replicas.clock.advance(5 * SECOND)
  expect(await isCompleted(replicas, A)).toBe(true)
  return { replicas, first, second }
}

function writes({ requests }: Replica): string[] {
  return requests.filter((line) => !line.startsWith('GET') && !line.includes(LEASE))
}

test('one of two leads, and the other reads what stands in the lease and no more', async () => {
  const { replicas, first, second } = await aPair()
  await using _ = replicas
  expect(await replicas.holder()).toBe('first')
  expect(first.log).toContain('info leading as "first"')
  expect(second.log).toContain('info standing by: "first" leads')
  expect(new Set(second.requests)).toEqual(new Set(['GET /version', `GET ${LEASE}`]))
})

test('the lease tells since when its holder leads, and how often it changed hands', async () => {
  const { replicas, first } = await aPair()
  await using _ = replicas
  expect((await replicas.get(LEASE)).spec).toMatchObject({
    holderIdentity: 'first',
    leaseDurationSeconds: 15,
    acquireTime: '2026-11-21T08:00:00.000000Z',
    renewTime: '2026-11-21T08:00:04.000000Z',
    leaseTransitions: 0,
  })
  await first.stop()
  await replicas.clock.advance(2 * SECOND)
  expect((await replicas.get(LEASE)).spec).toMatchObject({
    holderIdentity: 'second',
    // By the clock of the second, which is an hour behind.
    acquireTime: '2026-11-21T07:00:05.000000Z',
    renewTime: '2026-11-21T07:00:07.000000Z',
    leaseTransitions: 1,
  })
})

test('a leader that ends hands over at once, in the middle of a wave', async () => {
  const { replicas, first, second } = await aPair(6)
  await using _ = replicas
  first.pause.beginAfterWrites(8)
  replicas.push('b', aFleet({ rollout: ONE_BY_ONE, v: 4 }))
  await replicas.clock.advance(0)
  expect(await assigned(replicas)).toContain('a')
  const stopped = first.stop()
  first.pause.end()
  await stopped
  expect((await replicas.get(LEASE)).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
  await replicas.clock.advance(0)
  expect(await replicas.holder()).toBe('second')
  await replicas.clock.advance(5 * SECOND)
  expect(await isCompleted(replicas, B)).toBe(true)
  expect(second.log.filter((line) => line.startsWith('warn pass'))).toEqual([])
})

test('a new leader whose watches are behind knows what the one before has taken', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents({ takes: 20 * SECOND })
  const watches = { behind: false }
  const first = await replicas.start('first')
  await replicas.start('second', { kube: lateFor(replicas.kube, watches) })
  replicas.push('a', aFleet({ rollout: ONE_BY_ONE }))
  await replicas.clock.advance(120 * SECOND)
  expect(await isCompleted(replicas, A)).toBe(true)
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { annotations: { 'nodewave.io/hold': 'repair' } } })
  await replicas.clock.advance(0)

  watches.behind = true
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { annotations: { 'nodewave.io/hold': null } } })
  replicas.push('b', aFleet({ rollout: ONE_BY_ONE, v: 4 }))
  await replicas.clock.advance(SECOND)
  expect(await assigned(replicas)).toEqual(['b', 'a'])
  await first.stop()
  await replicas.clock.advance(5 * SECOND)

  expect(await replicas.holder()).toBe('second')
  expect(await assigned(replicas)).toEqual(['b', 'a'])
})

/** What becomes of nodes is not told while watches are behind. Who knew as little of pools could write no status, and then does nothing. */
function lateFor(kube: KubeApi, watches: { readonly behind: boolean }): KubeApi {
  return {
    ...kube,
    async *follow(path, options) {
      for await (const event of kube.follow(path, options)) if (!watches.behind || path !== NODES) yield event
    },
  }
}

test('a release that is heard of while the lease is being read is not missed', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  const first = await replicas.start('first')
  const [read, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const kube = {
    ...replicas.kube,
    async get(path: string) {
      const lease = await replicas.kube.get(path)
      read.resolve()
      await answered.promise
      return lease
    },
  } as typeof replicas.kube
  await replicas.start('second', { kube })
  await read.promise
  await first.stop()
  answered.resolve()
  await replicas.clock.advance(0)
  expect(await replicas.holder()).toBe('second')
})

test('a leader that is killed in the middle of a wave is followed after the lease duration, and not before', async () => {
  const { replicas, first } = await aPair(6)
  await using _ = replicas
  first.pause.beginAfterWrites(8)
  replicas.push('b', aFleet({ rollout: ONE_BY_ONE, v: 4 }))
  // The last renewal was a second ago.
  await replicas.clock.advance(13_900)
  expect(await replicas.holder()).toBe('first')
  expect(await assigned(replicas)).toContain('a')
  await replicas.clock.advance(200)
  expect(await replicas.holder()).toBe('second')
  await replicas.clock.advance(5 * SECOND)
  expect(await isCompleted(replicas, B)).toBe(true)
})

test('a new leader begins with what the former one accepted last, and offers the head of the branch', async () => {
  const { replicas, first, second } = await aPair()
  await using _ = replicas
  replicas.push('b', aFleet({ rollout: ONE_BY_ONE, v: 4 }))
  await replicas.clock.advance(5 * SECOND)
  first.pause.begin()
  replicas.push('c', aFleet({ rollout: ONE_BY_ONE, v: 6 }))
  expect((await replicas.list(REVISIONS)).map(({ metadata }) => metadata.name)).not.toContain('fleet-cccccccccccc-0')
  await replicas.clock.advance(20 * SECOND)
  expect(second.followed).toEqual([undefined, B])
  expect(await isCompleted(replicas, C)).toBe(true)
})

/** Everything a deposed leader could have spoilt. */
async function picture(replicas: Replicas): Promise<KubeObject[]> {
  return [...(await replicas.list(NODES)), ...(await replicas.list(POOLS))]
}

async function lastAccepted(replicas: Replicas): Promise<string | undefined> {
  return keptRevisions((await replicas.list(REVISIONS)).map(projectConfigMap))[0]?.commit
}

/** @returns false when the first had nothing left to write */
async function frozenAtWrite(count: number): Promise<boolean> {
  const { replicas, first } = await aPair(4)
  await using _ = replicas
  const gpu = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec: {nodeSelector: {matchLabels: {gpu: "yes"}}}
`
  first.pause.beginAfterWrites(count)
  replicas.push('b', aFleet({ rollout: ONE_BY_ONE, v: 4, more: gpu }))
  await replicas.clock.advance(SECOND)
  const wasFrozen = first.pause.lasts
  first.pause.begin()
  replicas.push('c', aFleet({ rollout: ONE_BY_ONE, v: 6 }))
  await replicas.clock.advance(60 * SECOND)
  expect(await isCompleted(replicas, C)).toBe(true)
  const before = await picture(replicas)
  const { tried } = first.pause
  first.pause.end()
  await replicas.clock.advance(60 * SECOND)
  expect(first.pause.tried).toBe(tried)
  // With their versions: not for a moment either.
  expect(await picture(replicas)).toEqual(before)
  expect(await lastAccepted(replicas)).toBe(C)
  expect(await replicas.holder()).toBe('second')
  replicas.push('d', aFleet({ rollout: ONE_BY_ONE, v: 8 }))
  await replicas.clock.advance(10 * SECOND)
  expect(await isCompleted(replicas, 'd'.repeat(40))).toBe(true)
  return wasFrozen
}

test('a leader that stands still before any of its writes, and goes on when another one leads, changes nothing back', async () => {
  let count = 0
  while (await frozenAtWrite(count)) count += 1
  expect(count).toBeGreaterThan(12)
})

test('a leader that cannot renew the lease stops at the deadline, and leads again as soon as it can', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  replicas.startAgents()
  let away = false
  const kube = {
    ...replicas.kube,
    replace: (path: string, body: unknown) =>
      away && path === LEASE ? Promise.reject(refusal(503, 'ServiceUnavailable')) : replicas.kube.replace(path, body),
  } as typeof replicas.kube
  const first = await replicas.start('first', { kube })
  replicas.push('a', aFleet())
  await replicas.clock.advance(5 * SECOND)
  away = true
  await replicas.clock.advance(8 * SECOND)
  expect(first.log).not.toContain('warn lost the lead: the lease was not renewed in time')
  await replicas.clock.advance(2 * SECOND)
  expect(first.log).toContain('warn lost the lead: the lease was not renewed in time')
  const sent = writes(first).length
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(60 * SECOND)
  expect(writes(first).length).toBe(sent)
  away = false
  await replicas.clock.advance(10 * SECOND)
  expect(await isCompleted(replicas, B)).toBe(true)
})

test('a controller that may not write the lease ends, and says so', async () => {
  await using replicas = await Replicas.create({ nodes: 0 })
  const kube = { ...replicas.kube, replace: () => Promise.reject(refusal(403, 'Forbidden')) } as typeof replicas.kube
  const { stop } = await replicas.start('first', { kube })
  await expect(stop()).rejects.toMatchObject({ code: 403 })
})

test('controllers at rest ask nothing of the API server but the lease, an hour long', async () => {
  const { replicas, first, second } = await aPair()
  await using _ = replicas
  await replicas.clock.advance(10 * SECOND)
  const before = [first.requests.length, second.requests.length]
  await replicas.clock.advance(3_600 * SECOND)
  expect(new Set(first.requests.slice(before[0]))).toEqual(new Set([`PUT ${LEASE}`]))
  expect(new Set(second.requests.slice(before[1]))).toEqual(new Set([`GET ${LEASE}`]))
  expect(first.requests.length - (before[0] ?? 0)).toBe(1800)
  expect(second.requests.length - (before[1] ?? 0)).toBe(1800)
  expect(await replicas.list(MAPS)).toHaveLength(2)
})

test('the newest revision is kept again when somebody deletes it, and the next leader sends no node back', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  replicas.startAgents()
  const first = await replicas.start('first')
  for (const [digit, v] of [
    ['a', 2],
    ['b', 5],
  ] as const) {
    replicas.push(digit, aFleet({ v, rollout: ONE_BY_ONE }))
    await replicas.clock.advance(600 * SECOND)
  }
  expect(await isCompleted(replicas, B)).toBe(true)

  await replicas.kube.delete(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  await replicas.clock.advance(SECOND)
  replicas.source.loseContact()
  await first.stop()
  await replicas.start('second')
  await replicas.clock.advance(60 * SECOND)

  expect(await assigned(replicas)).toEqual(['b', 'b', 'b'])
  expect(await isCompleted(replicas, B)).toBe(true)
})

test('a leader that does not know the newest revision waits some seconds for the repository, and sends no node back', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  replicas.startAgents()
  const first = await replicas.start('first')
  const files = { a: aFleet({ v: 2, rollout: ONE_BY_ONE }), b: aFleet({ v: 5, rollout: ONE_BY_ONE }) }
  for (const digit of ['a', 'b'] as const) {
    replicas.push(digit, files[digit])
    await replicas.clock.advance(600 * SECOND)
  }
  await first.stop()
  await replicas.kube.delete(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  const seen = new Set<string | undefined>()
  replicas.listen('nodes', (node) => seen.add(assignedRevision(node)?.[0]))

  replicas.source.hesitate()
  await replicas.start('second')
  await replicas.clock.advance(9 * SECOND)
  replicas.push('b', files.b)
  await replicas.clock.advance(60 * SECOND)

  expect(await assigned(replicas)).toEqual(['b', 'b', 'b'])
  expect([...seen].filter((revision) => revision !== 'b')).toEqual([])
})

test('who begins to lead waits 10 seconds for the repository also when its clock is put back meanwhile', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents({ takes: 5 * SECOND })
  const first = await replicas.start('first')
  replicas.push('a', aFleet({ rollout: ONE_BY_ONE }))
  await replicas.clock.advance(2 * SECOND)
  await first.stop()

  replicas.source.hesitate()
  await replicas.start('second')
  await replicas.clock.advance(3 * SECOND)
  replicas.clock.jump(-3_600_000)
  await replicas.clock.advance(60 * SECOND)

  expect(await assigned(replicas)).toEqual(['a', 'a'])
})

const TWENTY_MINUTES = 20 * 60 * SECOND
const PROMOTED = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%, manual: true}], maxUnavailable: 1'

async function rejectedIn(replicas: Replicas): Promise<readonly unknown[]> {
  const [pool] = await replicas.list(POOLS)
  const { rejected = ['no status'] } = (pool?.status ?? {}) as { rejected?: readonly unknown[] }
  return rejected
}

/** The leader ends when it has just assigned the nodes of the promoted wave. */
async function assignThenEnd(leader: { readonly stop: () => Promise<unknown> }, replicas: Replicas): Promise<void> {
  replicas.push('a', aFleet({ rollout: PROMOTED }))
  await replicas.clock.advance(3 * TWENTY_MINUTES)
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/promote': A } } })
  await replicas.clock.advance(5 * SECOND)
  await leader.stop()
}

test.each([
  ['ahead', TWENTY_MINUTES],
  ['behind', -TWENTY_MINUTES],
])('what a leader whose clock was %s assigned a moment ago is not overdue for those who lead next', async (_, skew) => {
  await using replicas = await Replicas.create({ nodes: 3 })
  replicas.startAgents({ takes: 60 * SECOND })
  const first = await replicas.start('first', { skew })
  const others = { second: await replicas.start('second'), third: await replicas.start('third') }
  await assignThenEnd(first, replicas)
  await replicas.clock.advance(10 * SECOND)
  expect(await rejectedIn(replicas)).toEqual([])
  await others[(await replicas.holder()) as 'second' | 'third'].stop()
  await replicas.clock.advance(10 * SECOND)
  expect(await rejectedIn(replicas)).toEqual([])
  await replicas.clock.advance(TWENTY_MINUTES)
  expect(await isCompleted(replicas, A)).toBe(true)
})

test('what a leader whose clock was ahead assigned a moment ago is not overdue for one that starts after its end', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  replicas.startAgents({ takes: 5 * 60 * SECOND })
  const first = await replicas.start('first', { skew: TWENTY_MINUTES })
  await assignThenEnd(first, replicas)
  const second = await replicas.start('second')
  await replicas.clock.advance(4 * 60 * SECOND)
  expect(second.log).toContain('info leading as "second"')
  expect(await rejectedIn(replicas)).toEqual([])
  await replicas.clock.advance(TWENTY_MINUTES)
  expect(await isCompleted(replicas, A)).toBe(true)
})

test('what a leader whose clock was ahead assigned is not overdue for one that starts when another one leads already', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  replicas.startAgents({ takes: 5 * 60 * SECOND })
  const first = await replicas.start('first', { skew: TWENTY_MINUTES })
  const second = await replicas.start('second')
  await assignThenEnd(first, replicas)
  await replicas.clock.advance(10 * SECOND)
  await replicas.start('third')
  await replicas.clock.advance(10 * SECOND)
  await second.stop()
  await replicas.clock.advance(4 * 60 * SECOND)
  expect(await replicas.holder()).toBe('third')
  expect(await rejectedIn(replicas)).toEqual([])
  await replicas.clock.advance(TWENTY_MINUTES)
  expect(await isCompleted(replicas, A)).toBe(true)
})
