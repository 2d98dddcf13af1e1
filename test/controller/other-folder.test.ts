import { expect, test } from 'vitest'
import type { NodePoolStatus } from '../../src/protocol/node-pool.ts'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, MINUTE, readiness } from './some-faults.ts'
import { POOLS } from './stage.ts'

const rollout = 'onFailure: Rollback'

test('the files at another --path come with the next commit, and a rollback brings back the former ones', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet({ v: 2, rollout }))
  await replicas.clock.advance(MINUTE)
  await first.stop()
  await replicas.start('second')
  replicas.push('a', aFleet({ v: 4, rollout }))
  await replicas.clock.advance(5 * MINUTE)
  expect([await flagsOf(replicas), await readiness(replicas)]).toEqual([{ v: 2 }, 'True Completed'])
  replicas.push('b', aFleet({ v: 4, rollout }))
  await replicas.clock.advance(5 * MINUTE)
  expect([await flagsOf(replicas), await readiness(replicas)]).toEqual([{ v: 4 }, 'True Completed'])
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': '' } } })
  await replicas.clock.advance(5 * MINUTE)
  const { target, rollback } = await statusOf(replicas)
  expect([await atRevision(replicas, A), target?.fingerprint]).toEqual([['n0'], rollback?.to.fingerprint])
})

test('a commit that was kept is not written again when a controller starts', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await first.stop()
  const second = await replicas.start('second')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(second.requests.filter((request) => /^(POST|PUT|PATCH|DELETE) .*nodewave-revisions/.test(request))).toEqual([])
})

async function statusOf(replicas: Replicas): Promise<Partial<NodePoolStatus>> {
  const [pool] = await replicas.list(POOLS)
  return (pool as unknown as { status: Partial<NodePoolStatus> }).status
}

async function flagsOf(replicas: Replicas): Promise<unknown> {
  const [pool] = await replicas.list(POOLS)
  return (pool as unknown as { spec: { kubelet: { flags: unknown } } }).spec.kubelet.flags
}
