import { expect, test } from 'vitest'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { settled } from '../scenarios/full/settled.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness, SPARE } from './some-faults.ts'
import { assignedRevision, conditionOf, NODES, POOLS, readyOf } from './stage.ts'

const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'
const REVISIONS = '/api/v1/namespaces/nodewave-revisions/configmaps'

/** Its agents are at a second commit, and no controller runs. */
async function atSecondCommit(replicas: Replicas, { first: before = '', more = '' } = {}): Promise<void> {
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet({ more: before }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, more }))
  await replicas.clock.advance(10 * MINUTE)
  await first.stop()
}

test('a commit whose kept revision has lost its labels is accepted again', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`, { metadata: { labels: null } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(await atRevision(replicas, A)).toEqual(['n0'])
  const events = await replicas.list('/api/v1/namespaces/default/events')
  expect(events.map(({ reason }) => reason)).not.toContain('InvalidRepository')
  expect(await readiness(replicas)).toBe('True Completed')
})

test('the revision that was accepted last keeps its labels, also where somebody removes them', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`, { metadata: { labels: null } })
  await replicas.clock.advance(MINUTE)
  expect((await replicas.get(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`)).metadata.labels).toEqual({
    'app.kubernetes.io/managed-by': 'nodewave',
    'nodewave.io/kind': 'revision',
  })
})

test('a controller that starts brings no node back where the revision that was accepted last has lost its labels', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  await atSecondCommit(replicas)
  await replicas.kube.patch(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`, { metadata: { labels: null } })
  const assigned = new Set<string | undefined>()
  replicas.listen('nodes', (node) => assigned.add(assignedRevision(node)))
  await replicas.start('second')
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { touched: 'yes' } } })
  expect([...assigned]).toEqual([B])
})

async function keptCommits(replicas: Replicas): Promise<readonly unknown[]> {
  const maps = await replicas.list(REVISIONS)
  return maps.map(({ metadata: { annotations } }) => annotations?.['nodewave.io/revision'])
}

interface LostCommit {
  readonly rollout?: string
  /** Documents of the first commit alone. */
  readonly first?: string
  /** Documents that the second commit adds. */
  readonly more?: string
  /** Patch of the pool. */
  readonly asked?: object
  /** Milliseconds. */
  readonly after: number
}

/** Two commits, of which the second is gone when another controller starts, which cannot keep it again. */
async function withLostCommit(replicas: Replicas, { rollout, first: added, more, asked, after }: LostCommit) {
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet(added === undefined ? {} : { more: added }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, ...(rollout !== undefined && { rollout }), ...(more !== undefined && { more }) }))
  if (asked) await replicas.clock.advance(MINUTE)
  if (asked) await replicas.kube.patch(`${POOLS}/workers`, asked)
  await replicas.clock.advance(after)
  await first.stop()
  await replicas.kube.delete(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  const state = { isRefused: true }
  const create: KubeApi['create'] = async (path, body, options) => {
    if (state.isRefused && path === REVISIONS) throw refusal(403, 'Forbidden')
    return replicas.kube.create(path, body, options)
  }
  await replicas.start('second', { kube: { ...replicas.kube, create } })
  await replicas.clock.advance(10 * MINUTE)
  return state
}

test('a controller that starts brings no node back where the revision that was accepted last is gone, and cannot be kept again', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const state = await withLostCommit(replicas, { after: 10 * MINUTE })
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('True Completed')
  expect(await keptCommits(replicas)).toEqual([A])
  state.isRefused = false
  await replicas.clock.advance(MINUTE)
  expect(await keptCommits(replicas)).toEqual([A, B])
  expect(await readiness(replicas)).toBe('True Completed')
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
})

test('a controller that starts brings no canary back where the revision that it has is gone, and goes on with its wave later', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  const assigned = new Set<string | undefined>()
  const rollout = 'waves: [{name: canary, nodes: 1, soak: 20m}, {name: rest, nodes: "100%"}]'
  const state = await withLostCommit(replicas, { rollout, after: 5 * MINUTE })
  const [canary = ''] = await atRevision(replicas, B)
  expect(canary).not.toBe('')
  replicas.listen('nodes', (node) => node.metadata.name === canary && assigned.add(assignedRevision(node)))
  state.isRefused = false
  await replicas.clock.advance(30 * MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1', 'n2'])
  expect([...assigned]).toEqual([])
})

test('a pool whose last commit was gone when a controller started needs no second promotion of it', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: "100%", manual: true}]'
  const asked = { metadata: { annotations: { 'nodewave.io/promote': B } } }
  const state = await withLostCommit(replicas, { rollout, after: 10 * MINUTE, asked })
  state.isRefused = false
  await replicas.clock.advance(MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})

test('a pool that an operator rolled back stays so where the revision that it left is gone when a controller starts', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const asked = { metadata: { annotations: { 'nodewave.io/rollback': A } } }
  const state = await withLostCommit(replicas, { after: 10 * MINUTE, asked })
  expect(await atRevision(replicas, A)).toEqual(['n0', 'n1'])
  state.isRefused = false
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, A)).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('False RolledBack')
})

test('a pool that an operator rolls back while its last commit is gone stays so once that is kept again', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const state = await withLostCommit(replicas, { after: 10 * MINUTE })
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': A } } })
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, A)).toEqual(['n0', 'n1'])
  state.isRefused = false
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, A)).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('False RolledBack')
})

/** Two nodes at a second commit, which is gone when another controller starts that cannot reach the repository. @returns what was kept of it */
async function outOfReach(replicas: Replicas, kube = replicas.kube): Promise<KubeObject> {
  await atSecondCommit(replicas)
  const kept = await takeLast(replicas)
  replicas.source.loseContact()
  await replicas.start('second', { kube })
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('False RepositoryUnread')
  return kept
}

/** Deletes what is kept of the second commit. @returns it, to be restored */
async function takeLast(replicas: Replicas): Promise<KubeObject> {
  const kept = await replicas.get(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  await replicas.kube.delete(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  const { resourceVersion: _, ...metadata } = kept.metadata
  return { ...kept, metadata }
}

test('a pool goes on with its last commit when somebody restores that before the repository has been read', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  await replicas.kube.create(REVISIONS, await outOfReach(replicas))
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('True Completed')
})

test('a pool changes no node when its last commit comes back damaged before the repository has been read', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  await replicas.kube.create(REVISIONS, { ...(await outOfReach(replicas)), binaryData: { documents: 'AAAA' } })
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
})

test('a pool changes no node when all kept commits are deleted, and the last one is restored first', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const last = await outOfReach(replicas)
  const assigned = new Set<string | undefined>()
  replicas.listen('nodes', (node) => assigned.add(assignedRevision(node)))
  await replicas.kube.delete(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`)
  await replicas.clock.advance(MINUTE)
  await replicas.kube.create(REVISIONS, last)
  await replicas.clock.advance(10 * MINUTE)
  expect([...assigned]).not.toContain(A)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('True Completed')
})

test('a pool changes no node when its last commit is restored while a newer one is being taken that cannot be stored', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  let last: KubeObject | undefined
  const create: KubeApi['create'] = async (path, body, options) => {
    if (path !== REVISIONS) return replicas.kube.create(path, body, options)
    if (last) await replicas.kube.create(REVISIONS, last)
    last = undefined
    await settled()
    throw refusal(403, 'Forbidden')
  }
  last = await outOfReach(replicas, { ...replicas.kube, create })
  const assigned = new Set<string | undefined>()
  replicas.listen('nodes', (node) => assigned.add(assignedRevision(node)))
  replicas.push('c', aFleet({ v: 5 }))
  await replicas.clock.advance(10 * MINUTE)
  expect([...assigned]).not.toContain(A)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
})

test('a pool goes on with its last commit when that comes back damaged, and is restored once more', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const last = await outOfReach(replicas)
  await replicas.kube.create(REVISIONS, { ...last, binaryData: { documents: 'AAAA' } })
  await replicas.clock.advance(10 * MINUTE)
  await replicas.kube.delete(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  await replicas.kube.create(REVISIONS, last)
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('True Completed')
})

test('a pool that an operator rolls back twice, and whose commit from before is gone, stays so once that is kept again', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  const first = await replicas.start('first')
  for (const [digit, v] of [
    ['c', 5],
    ['a', 3],
    ['b', 4],
  ] as const) {
    replicas.push(digit, aFleet({ v }))
    await replicas.clock.advance(10 * MINUTE)
  }
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': A } } })
  await replicas.clock.advance(10 * MINUTE)
  await first.stop()
  await replicas.kube.delete(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  replicas.source.loseContact()
  await replicas.start('second')
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': 'c'.repeat(40) } } })
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('False RepositoryUnread')
  expect(await atRevision(replicas, A)).toEqual(['n0', 'n1'])
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, 'c'.repeat(40))).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('False RolledBack')
})

test('a pool whose NodePool is deleted, too, while its last commit is gone changes no node', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const last = await outOfReach(replicas)
  await replicas.kube.delete(`${POOLS}/workers`)
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
  const events = await replicas.list('/api/v1/namespaces/default/events')
  expect(events.filter(({ reason }) => reason === 'RepositoryUnread').map(({ involvedObject }) => involvedObject)).toMatchObject([
    { kind: 'Namespace', name: 'nodewave-system' },
  ])
  await replicas.kube.create(REVISIONS, last)
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('True Completed')
})

test('a pool that came with a commit which is gone when a controller starts keeps its NodePool, and what that remembers', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  const state = await withLostCommit(replicas, { after: 10 * MINUTE, more: SPARE })
  const before = (await replicas.list(POOLS)).map(({ metadata: { name, uid } }) => `${name} ${uid}`)
  state.isRefused = false
  await replicas.clock.advance(10 * MINUTE)
  const pools = await replicas.list(POOLS)
  expect(pools.map(({ metadata: { name, uid } }) => `${name} ${uid}`)).toEqual(before)
  expect(pools.map(({ metadata: { name } }) => name)).toEqual(['spare', 'workers'])
})

const POOL = (name: string, v: number) => `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: ${name}}
spec:
  nodeSelector: {matchLabels: {role: gpu}}
  kubelet: {flags: {v: ${v}}}
`

test('a pool that the lost commit had replaced by another one brings no node back', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { role: 'gpu' } } })
  const labels = { 'nodewave.io/kind': 'fleet' }
  const annotations = { 'nodewave.io/promote': B }
  await replicas.kube.create(MAPS, { metadata: { name: 'nodewave-fleet', labels, annotations } })
  await withLostCommit(replicas, { after: 10 * MINUTE, first: POOL('old', 3), more: POOL('new', 5) })
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
})

test('a commit that was promoted, and is lost, needs no second promotion', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { role: 'gpu' } } })
  const labels = { 'nodewave.io/kind': 'fleet' }
  const annotations = { 'nodewave.io/promote': B }
  await replicas.kube.create(MAPS, { metadata: { name: 'nodewave-fleet', labels, annotations } })
  await atSecondCommit(replicas, { first: POOL('old', 3), more: POOL('new', 5) })
  await takeLast(replicas)
  await replicas.kube.patch(`${MAPS}/nodewave-fleet`, { metadata: { annotations: { 'nodewave.io/promote': null } } })
  await replicas.start('second')
  await replicas.clock.advance(10 * MINUTE)
  expect((await replicas.list(POOLS)).map(readyOf)).toEqual(['True Completed', 'True Completed'])
})

test('a commit that is newer than a lost one is compared with the newest that is kept, and waits for its promotion', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { role: 'gpu' } } })
  await atSecondCommit(replicas, { first: POOL('old', 3), more: POOL('old', 5) })
  const last = await takeLast(replicas)
  const assigned = new Set<string | undefined>()
  replicas.listen('nodes', (node) => assigned.add(assignedRevision(node)))
  replicas.push('c', aFleet({ v: 5, more: POOL('new', 5) }))
  await replicas.start('second')
  await replicas.clock.advance(10 * MINUTE)
  const [pool] = await replicas.list(POOLS)
  expect(conditionOf(pool, 'Ready')?.message).toContain('nodewave promote --all --revision cccccccccccc')
  expect(readyOf(pool)).toBe('False RepositoryUnread')
  expect(conditionOf(pool, 'Stalled')?.reason).toBe('CommitNeedsPromotion')
  expect(pool?.status).toMatchObject({ observedRevision: 'c'.repeat(40), acceptedRevision: B })
  await replicas.kube.create(REVISIONS, last)
  await replicas.clock.advance(10 * MINUTE)
  expect((await replicas.list(POOLS)).map(readyOf)).toEqual(['False CommitNeedsPromotion', 'False CommitNeedsPromotion'])
  expect([...assigned]).not.toContain('c'.repeat(40))
})

/** Commits of which none changes the content of `workers`: what its nodes were assigned is swept. @returns the last one */
async function afterManyCommits(replicas: Replicas): Promise<string> {
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { role: 'gpu' } } })
  replicas.startAgents()
  const first = await replicas.start('first')
  for (const [index, digit] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    replicas.push(digit, aFleet({ more: POOL('gpu', index) }))
    await replicas.clock.advance(15 * MINUTE)
  }
  await replicas.clock.advance(15 * MINUTE)
  await first.stop()
  return 'e'.repeat(40)
}

test('a pool that has lost its status goes on where what its nodes were assigned was deleted as too old', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const last = await afterManyCommits(replicas)
  expect(await keptCommits(replicas)).toEqual(['c', 'd', 'e'].map((digit) => digit.repeat(40)))
  const { metadata, ...workers } = await replicas.get(`${POOLS}/workers`)
  await replicas.kube.delete(`${POOLS}/workers`)
  await replicas.kube.create(POOLS, { ...workers, metadata: { name: 'workers', labels: metadata.labels ?? {} } })
  replicas.source.loseContact()
  const second = await replicas.start('second')
  await replicas.clock.advance(10 * MINUTE)
  expect(second.followed).toEqual([last])
  expect((await replicas.list(POOLS)).map(readyOf)).toEqual(['True Completed', 'True Completed'])
  expect(await atRevision(replicas, A)).toEqual(['n1'])
})

test('a pool says soon that its last commit is gone when the server refuses its status once', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  await atSecondCommit(replicas)
  await takeLast(replicas)
  replicas.source.loseContact()
  const answers = [refusal(500, 'InternalError')]
  const replace: KubeApi['replace'] = async (path, body, options) => {
    const answer = path.startsWith(POOLS) ? answers.pop() : undefined
    if (answer) throw answer
    return replicas.kube.replace(path, body, options)
  }
  await replicas.start('second', { kube: { ...replicas.kube, replace } })
  await replicas.clock.advance(MINUTE)
  expect(await readiness(replicas)).toBe('False RepositoryUnread')
})

test('a revision that is damaged is written again once its commit was read from the repository', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  await atSecondCommit(replicas)
  const last = await takeLast(replicas)
  await replicas.kube.create(REVISIONS, { ...last, binaryData: { documents: 'AAAA' } })
  const second = await replicas.start('second')
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
  expect((await replicas.get(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)).binaryData).toEqual(last.binaryData)
  await second.stop()
  replicas.source.loseContact()
  await replicas.start('third')
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})
