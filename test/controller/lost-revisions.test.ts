import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness } from './some-faults.ts'
import { atSecondCommit, keptCommits, REVISIONS, takeLast, withLostCommit } from './some-lost-revisions.ts'
import { assignedRevision, POOLS } from './stage.ts'

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
