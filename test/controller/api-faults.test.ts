import { expect, test } from 'vitest'
import { type KubeApi, KubeError } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { LEASE, Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness, refusals, SECOND } from './some-faults.ts'
import { aNode, assignedRevision, NODES } from './stage.ts'

const LOST = 'warn lost the lead: the lease was not renewed in time'

/** A client whose patches of nodes pass through `before` first. */
function patchedAfter({ kube }: Replicas, before: (node: string) => Promise<void>): KubeApi {
  return {
    ...kube,
    async patch(path, body, options) {
      if (path.startsWith(`${NODES}/`)) await before(path.slice(NODES.length + 1))
      options?.signal?.throwIfAborted()
      return kube.patch(path, body, options)
    },
  }
}

test('a leader that loses the lead while many writes are under way makes none of them, and the next one all', async () => {
  await using replicas = await Replicas.create({ nodes: 12 })
  replicas.startAgents()
  const [released, underWay] = [Promise.withResolvers<void>(), new Set<string>()]
  let away = false
  const slow = patchedAfter(replicas, async (node) => {
    if (!away) return
    underWay.add(node)
    await released.promise
  })
  const replace = (path: string, ...rest: [unknown]): Promise<unknown> =>
    away && path === LEASE ? Promise.reject(refusal(503, 'ServiceUnavailable')) : replicas.kube.replace(path, ...rest)
  const first = await replicas.start('first', { kube: { ...slow, replace } as KubeApi })
  replicas.push('a', aFleet())
  await replicas.clock.advance(5 * SECOND)
  away = true
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(5 * SECOND)
  expect(underWay.size).toBe(12)
  expect(first.log).not.toContain(LOST)
  await replicas.clock.advance(7 * SECOND)
  expect(first.log).toContain(LOST)
  released.resolve()
  await replicas.clock.advance(30 * SECOND)
  expect(await atRevision(replicas, B)).toEqual([])
  away = false
  await replicas.clock.advance(30 * SECOND)
  expect(await atRevision(replicas, B)).toHaveLength(12)
  expect(await readiness(replicas)).toBe('True Completed')
})

test('a server that has too much to do is asked again no sooner than it says, and nothing is held against a node', async () => {
  await using replicas = await Replicas.create({ nodes: 8 })
  replicas.startAgents()
  const attempts = new Map<string, number[]>()
  const kube = patchedAfter(replicas, async (node) => {
    const times = attempts.get(node) ?? []
    attempts.set(node, [...times, replicas.clock.now()])
    if (times.length < 3) throw new KubeError('too many requests', { code: 429, reason: 'TooManyRequests', retryAfter: 5 })
  })
  await replicas.start('first', { kube })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 4' }))
  await replicas.clock.advance(2 * MINUTE)
  const waits = [...attempts.values()].flatMap((times) => times.slice(1, 4).map((at, index) => at - (times[index] ?? at)))
  expect(waits).toHaveLength(24)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(5 * SECOND)
  expect(await atRevision(replicas, A)).toHaveLength(8)
  expect(await readiness(replicas)).toBe('True Completed')
})

test('nodes that others write to again and again are assigned all the same, each one once', async () => {
  await using replicas = await Replicas.create({ nodes: 6 })
  replicas.startAgents()
  const [attempts, conflicts] = [new Map<string, number>(), new Map<string, number>()]
  const contested = patchedAfter(replicas, async (node) => {
    const attempt = (attempts.get(node) ?? 0) + 1
    attempts.set(node, attempt)
    if (attempt <= 5) await replicas.kube.patch(`${NODES}/${node}`, { metadata: { labels: { beat: `${attempt}` } } })
  })
  const patch: KubeApi['patch'] = async (path, ...rest) => {
    try {
      return await contested.patch(path, ...rest)
    } catch (error) {
      if (error instanceof KubeError && error.code === 409) conflicts.set(path, (conflicts.get(path) ?? 0) + 1)
      throw error
    }
  }
  await replicas.start('first', { kube: { ...contested, patch } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 2' }))
  await replicas.clock.advance(5 * MINUTE)
  expect([...conflicts.values()]).toEqual([5, 5, 5, 5, 5, 5])
  expect([...attempts.values()]).toEqual([6, 6, 6, 6, 6, 6])
  expect(await readiness(replicas)).toBe('True Completed')
})

test.each(['Expired', 'Gone', ''])(
  'nodes whose list expires each time they are read again, for the reason "%s", are read again later, and an event says so',
  async (reason) => {
    await using replicas = await Replicas.create({ nodes: 2 })
    replicas.startAgents()
    let [asked, expires] = [0, false]
    const list: KubeApi['list'] = async (path, options) => {
      if (path !== NODES || !expires) return replicas.kube.list(path, options)
      asked += 1
      throw refusal(410, reason)
    }
    await replicas.start('first', { kube: { ...replicas.kube, list } })
    replicas.push('a', aFleet())
    await replicas.clock.advance(MINUTE)
    expires = true
    replicas.push('b', aFleet({ v: 4 }))
    await replicas.clock.advance(MINUTE)
    expect(asked).toBeLessThan(15)
    expect(await refusals(replicas)).toEqual(['ActionRefused'])
    expires = false
    await replicas.clock.advance(MINUTE)
    expect(await readiness(replicas)).toBe('True Completed')
  },
)

test('a node whose settings the server refuses to write again gets the next commit at once, and an event says what is refused', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let isRefused = false
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels } = Object(Object(body).metadata)
    if (isRefused && path === `${NODES}/n0` && Object(labels).tier === 'front') throw refusal(403, 'Forbidden')
    return replicas.kube.patch(path, body, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet({ more: '  node: {labels: {tier: front}}\n' }))
  await replicas.clock.advance(MINUTE)
  isRefused = true
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { tier: 'theirs' } } })
  await replicas.clock.advance(MINUTE)
  expect(await refusals(replicas)).toEqual(['SettingsRefused'])
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(10 * SECOND)
  expect(await atRevision(replicas, B)).toEqual(['n0'])
})

test('Ready nodes that are labelled into a pool wait for its window and its budget; a new node does not', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  const { kube, clock } = replicas
  const served = Array.from({ length: 20 }, (_, index) => `p${index}`)
  for (const name of served)
    await kube.create(NODES, { ...aNode(name, clock.now()), metadata: { name, labels: { role: 'prod' } } })
  await clock.advance(60 * MINUTE)
  replicas.startAgents()
  await replicas.start('first')
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1' }))
  await clock.advance(30 * SECOND)
  expect(await readiness(replicas)).toBe('True Completed')
  const windows = 'windows: [{schedule: "0 2 * * *", duration: 1h, timeZone: UTC}]'
  replicas.push('b', aFleet({ rollout: `maxUnavailable: 1, ${windows}` }))
  await clock.advance(5 * SECOND)
  for (const name of served) await kube.patch(`${NODES}/${name}`, { metadata: { labels: { role: 'worker' } } })
  await kube.create(NODES, aNode('young', clock.now()))
  await clock.advance(MINUTE)
  const assigned = (await replicas.list(NODES)).filter((node) => assignedRevision(node)).map(({ metadata }) => metadata.name)
  expect(assigned.toSorted()).toEqual(['n0', 'n1', 'n2', 'young'])
  expect(await readiness(replicas)).toBe('False WaitingForWindow')
})

test('a node whose uncordon the server refuses keeps its place in the budget, however long the answer takes', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  replicas.startAgents()
  let refused = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { spec } = Object(body)
    if (Object(spec).unschedulable !== null) return replicas.kube.patch(path, body, options)
    refused++
    await replicas.clock.sleep(2 * SECOND)
    throw refusal(403, 'Forbidden')
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1, drain: {mode: Always}' }))
  await replicas.clock.advance(5 * MINUTE)
  expect(refused).toBeGreaterThan(1)
  expect(await atRevision(replicas, A)).toHaveLength(1)
})
