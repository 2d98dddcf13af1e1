import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness, SPARE } from './some-faults.ts'
import { keptCommits, outOfReach, POOL, REVISIONS, withLostCommit } from './some-lost-revisions.ts'
import { NODES, POOLS, readyOf } from './stage.ts'

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
