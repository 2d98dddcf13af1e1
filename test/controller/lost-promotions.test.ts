import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { atRevision, B, MINUTE } from './some-faults.ts'
import { atSecondCommit, MAPS, POOL, REVISIONS, takeLast, withLostCommit } from './some-lost-revisions.ts'
import { assignedRevision, conditionOf, NODES, POOLS, readyOf } from './stage.ts'

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
