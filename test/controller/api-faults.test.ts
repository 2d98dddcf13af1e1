import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { assignmentSigner } from '../../src/controller/signing/assignment-signer.ts'
import { type KubeApi, KubeError } from '../../src/kube/kube-api.ts'
import { readSigningKey, type SigningKey } from '../../src/protocol/assignment-signature.ts'
import { formatCordonMark } from '../../src/protocol/cordon-mark.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { LEASE, Replicas } from './replicas.ts'
import { aNode, assignedRevision, conditionOf, NODES, POOLS, readyOf } from './stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const C = 'c'.repeat(40)
const SECOND = 1000
const MINUTE = 60 * SECOND
const LOST = 'warn lost the lead: the lease was not renewed in time'

async function atRevision(replicas: Replicas, revision: string): Promise<string[]> {
  const nodes = await replicas.list(NODES)
  return nodes.filter((node) => assignedRevision(node) === revision).map(({ metadata }) => metadata.name)
}

async function readiness(replicas: Replicas): Promise<string> {
  const [pool] = await replicas.list(POOLS)
  return readyOf(pool)
}

/** Reasons of the events that tell of a refused write. */
async function refusals(replicas: Replicas): Promise<unknown[]> {
  const events = await replicas.list('/api/v1/namespaces/default/events')
  return events.map(({ reason }) => reason).filter((reason) => String(reason).endsWith('Refused'))
}

function aKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  return readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

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

test('a NodePool that the server refuses to create is asked for again no sooner than what else it refuses, and an event says why', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let asked = 0
  let isRefused = true
  const create: KubeApi['create'] = async (path, body, options) => {
    if (path !== POOLS) return replicas.kube.create(path, body, options)
    asked += 1
    if (isRefused) throw refusal(403, 'Forbidden')
    return replicas.kube.create(path, body, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, create } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(asked).toBe(3)
  expect(await refusals(replicas)).toEqual(['ActionRefused'])
  isRefused = false
  await replicas.clock.advance(MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})

test('a NodePool whose spec the server keeps otherwise than written is written again no sooner than what it refuses, and an event says what', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let asked = 0
  let isChanged = true
  const changed = (spec: object) => (isChanged ? { ...spec, rollout: { maxUnavailable: 1 } } : spec)
  const create: KubeApi['create'] = async (path, body, options) => {
    if (path !== POOLS) return replicas.kube.create(path, body, options)
    asked += 1
    return replicas.kube.create(path, { ...Object(body), spec: changed(Object(body).spec) }, options)
  }
  const patch: KubeApi['patch'] = async (path, body, options) => {
    if (!path.startsWith(POOLS) || !Array.isArray(body)) return replicas.kube.patch(path, body, options)
    asked += 1
    const [{ value, ...replaced }, version] = body
    return replicas.kube.patch(path, [{ ...replaced, value: changed(value) }, version], options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, create, patch } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(asked).toBeLessThan(15)
  const events = await replicas.list('/api/v1/namespaces/default/events')
  expect(events.find(({ reason }) => reason === 'ActionRefused')?.message).toBe(
    'write spec of pool "workers": the cluster does not keep its "rollout" as written; a webhook changes it, ' +
      "or the NodePool kind there is another than this controller's: kubectl apply -f deploy/crds/nodepools.yaml",
  )
  isChanged = false
  await replicas.clock.advance(MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})

test('nodes whose list expires each time they are read again are read again later, and an event says so', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  let [asked, expires] = [0, false]
  const list: KubeApi['list'] = async (path, options) => {
    if (path !== NODES || !expires) return replicas.kube.list(path, options)
    asked += 1
    throw refusal(410, 'Expired')
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
})

test.each<readonly [verb: 'create' | 'replace' | 'patch' | 'delete']>([['create'], ['replace'], ['patch'], ['delete']])(
  'a NodePool for which the server tells of a conflict though it is as it was is written again later, and an event says so: %s',
  async (verb) => {
    await using replicas = await Replicas.create({ nodes: 1 })
    replicas.startAgents()
    const [found, send] = [
      { asked: 0, isRefused: verb === 'create' },
      replicas.kube[verb] as (...of: unknown[]) => Promise<unknown>,
    ]
    const refusing = async (path: string, ...rest: readonly unknown[]): Promise<unknown> => {
      if (!found.isRefused || !path.startsWith(POOLS)) return send(path, ...rest)
      found.asked += 1
      throw refusal(409, 'Conflict')
    }
    await replicas.start('first', { kube: { ...replicas.kube, [verb]: refusing } as KubeApi })
    replicas.push('a', aFleet({ more: SPARE }))
    await replicas.clock.advance(MINUTE)
    found.isRefused = true
    replicas.push('b', aFleet({ v: 4 }))
    await replicas.clock.advance(MINUTE)
    expect(found.asked).toBeLessThan(45)
    expect(await refusals(replicas)).toContain('ActionRefused')
    found.isRefused = false
    await replicas.clock.advance(MINUTE)
    expect((await replicas.list(POOLS)).map((pool) => [pool.metadata.name, readyOf(pool)])).toEqual([
      ['workers', 'True Completed'],
    ])
  },
)

test('a NodePool whose status the server refuses is created again at once when somebody deletes it', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let isRefused = false
  const replace: KubeApi['replace'] = async (path, ...rest) => {
    if (isRefused && path.startsWith(POOLS)) throw refusal(403, 'Forbidden')
    return replicas.kube.replace(path, ...rest)
  }
  await replicas.start('first', { kube: { ...replicas.kube, replace } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  isRefused = true
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)
  isRefused = false
  await replicas.kube.delete(`${POOLS}/workers`)
  await replicas.clock.advance(SECOND)
  expect(await readiness(replicas)).toBe('False RollingOut')
})

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

/** A pool without nodes. */
const SPARE = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: spare}
spec: {nodeSelector: {matchLabels: {role: spare}}}
`

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

/** The controller cordoned the node for content that it is no longer to get. */
const MARK = formatCordonMark({ digest: `v1:${'9'.repeat(64)}`, at: Date.UTC(2026, 10, 21, 8), state: 'Ours' })

const OTHER_POOL = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec:
  nodeSelector: {matchLabels: {role: gpu}}
  kubelet: {flags: {v: 2}}
`

test('a node whose label of its pool the server refuses to write alone is uncordoned and gets its next assignment at once', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let refused = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels = {}, annotations } = Object(Object(body).metadata)
    if (path === `${NODES}/n0` && 'nodewave.io/pool' in labels && annotations === undefined) {
      refused++
      throw refusal(403, 'Forbidden')
    }
    return replicas.kube.patch(path, body, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet({ more: OTHER_POOL }))
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { role: 'gpu' } } })
  await replicas.clock.advance(MINUTE)
  expect(refused).toBeGreaterThan(0)
  await replicas.kube.patch(`${NODES}/n0`, {
    metadata: { annotations: { 'nodewave.io/cordoned-for': MARK } },
    spec: { unschedulable: true },
  })
  await replicas.clock.advance(SECOND)
  expect((await replicas.get(`${NODES}/n0`)).spec).not.toHaveProperty('unschedulable')
  expect(await refusals(replicas)).toEqual(['SettingsRefused'])
  replicas.push('b', aFleet({ v: 4, more: OTHER_POOL.replace('v: 2', 'v: 4') }))
  await replicas.clock.advance(SECOND)
  expect(await atRevision(replicas, B)).toEqual(['n0'])
})

/** A client of a server that has a webhook, which takes these labels and annotations off what is written to nodes. */
function dropping({ kube }: Replicas, dropped: readonly string[]) {
  const found = { asked: 0 }
  const without = (texts: object = {}) => Object.fromEntries(Object.entries(texts).filter(([key]) => !dropped.includes(key)))
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels, annotations, ...metadata } = Object(Object(body).metadata)
    const keys = Object.keys({ ...labels, ...annotations })
    if (!path.startsWith(NODES) || !dropped.some((key) => keys.includes(key))) return kube.patch(path, body, options)
    found.asked += 1
    const kept = { ...metadata, labels: without(labels), annotations: without(annotations) }
    return kube.patch(path, { ...Object(body), metadata: kept }, options)
  }
  return { found, kube: { ...kube, patch } }
}

test('a node whose assignment the server does not keep is assigned again later, and the pool says why', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { found, kube } = dropping(replicas, ['nodewave.io/desired-config'])
  await replicas.start('first', { kube })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  const [pool] = await replicas.list(POOLS)
  expect(found.asked).toBeLessThan(15)
  expect(readyOf(pool)).toBe('False WriteRefused')
  expect(conditionOf(pool, 'Stalled')?.message).toContain(
    'the API server does not keep nodewave.io/desired-config as written; correct the webhook that changes it',
  )
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

type Patch = { readonly annotations: Readonly<Record<string, string | null>>; readonly unschedulable?: true | null }

/** What the controller writes to the node between 2 and 12 minutes, though the server keeps none of it. */
async function askedInVain(
  isMeant: (patch: Patch) => boolean,
  { node, proof }: { node: object; proof: string },
): Promise<number> {
  await using replicas = await Replicas.create({ nodes: 1 })
  const { clock, kube } = replicas
  await kube.create('/api/v1/namespaces', { metadata: { name: 'nodewave-proof' } })
  const images = [{ names: ['registry.k8s.io/pause:3.10'], sizeBytes: 300_000 }]
  await kube.patch(`${NODES}/n0/status`, { status: { images, allocatable: { pods: '110' } } })
  replicas.startAgents({ takes: SECOND })
  let asked = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { metadata, spec } = Object(body)
    if (!path.startsWith(NODES) || !isMeant({ ...spec, annotations: Object(metadata).annotations ?? {} }))
      return kube.patch(path, body, options)
    asked += 1
    return kube.get(path)
  }
  const files = (v: number) =>
    aFleet({ v, more: '  node: {labels: {tier: front}}\n', rollout: `drain: {mode: Always}, proof: {pod: {mode: ${proof}}}` })
  await replicas.start('first', { kube: { ...kube, patch } })
  replicas.push('a', files(2))
  await clock.advance(2 * MINUTE)
  await kube.patch(`${NODES}/n0`, node)
  await clock.advance(MINUTE)
  replicas.push('b', files(4))
  await clock.advance(9 * MINUTE)
  return asked
}

test.each<readonly [what: string, isMeant: (patch: Patch) => boolean, node: object, proof: string]>([
  ['cordon', ({ unschedulable }) => unschedulable === true, {}, 'Never'],
  ['uncordon', ({ unschedulable }) => unschedulable === null, {}, 'Never'],
  [
    'clearing of a request to reboot',
    ({ annotations }) => annotations['nodewave.io/reboot'] === null,
    { metadata: { annotations: { 'nodewave.io/reboot': 'x' } } },
    'Never',
  ],
  [
    'permission to assign by hand',
    ({ annotations }) => 'nodewave.io/by-hand' in annotations,
    { metadata: { annotations: { 'nodewave.io/by-hand': 'Allow' } } },
    'Never',
  ],
  [
    'restored label',
    ({ annotations }) => Object.keys(annotations).join() === 'nodewave.io/node-settings',
    { metadata: { labels: { tier: 'back' } } },
    'Never',
  ],
  ['result of a proof', ({ annotations }) => Object.keys(annotations).join() === 'nodewave.io/proof', {}, 'Always'],
])('what the server accepts and does not keep of a node is written again later: %s', async (_, isMeant, node, proof) => {
  const asked = await askedInVain(isMeant, { node, proof })
  expect(asked).toBeGreaterThan(1)
  expect(asked).toBeLessThan(90)
})

test('a node whose label of its pool the server does not keep gets it again later, and an event says why', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { found, kube } = dropping(replicas, ['nodewave.io/pool'])
  await replicas.start('first', { kube })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(found.asked).toBeLessThan(15)
  expect(await readiness(replicas)).toBe('True Completed')
  expect(await refusals(replicas)).toEqual(['SettingsRefused'])
})

test('a node whose signature the server does not keep is signed again later, and an event says why', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const unsigned = await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await unsigned.stop()
  const { found, kube } = dropping(replicas, ['nodewave.io/desired-config'])
  await replicas.start('second', { kube, signer: assignmentSigner(aKey()) })
  await replicas.clock.advance(MINUTE)
  expect(found.asked).toBeLessThan(15)
  expect(await refusals(replicas)).toEqual(['AssignmentRefused'])
})

test('a node whose signature the server refuses to write alone gets its next assignment at once', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const unsigned = await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await unsigned.stop()
  let refused = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels, annotations = {} } = Object(Object(body).metadata)
    if (path === `${NODES}/n0` && 'nodewave.io/desired-config' in annotations && labels === undefined) {
      refused++
      throw refusal(403, 'Forbidden')
    }
    return replicas.kube.patch(path, body, options)
  }
  await replicas.start('second', { kube: { ...replicas.kube, patch }, signer: assignmentSigner(aKey()) })
  await replicas.clock.advance(MINUTE)
  expect(refused).toBeGreaterThan(0)
  expect(await refusals(replicas)).toEqual(['AssignmentRefused'])
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(SECOND)
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
