import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { dropping } from './dropping.ts'
import { Replicas } from './replicas.ts'
import { atRevision, B, MINUTE, readiness } from './some-faults.ts'
import { conditionOf, NODES, POOLS, readyOf } from './stage.ts'

const PROOFS = '/api/v1/namespaces/nodewave-proof/pods'

/** Two nodes at a first commit, and a webhook that drops requests for proofs; the kubelets give each pod the status. */
async function withoutWishes(replicas: Replicas, status: object) {
  await replicas.kube.create('/api/v1/namespaces', { metadata: { name: 'nodewave-proof' } })
  const images = [{ names: ['registry.k8s.io/pause:3.10'], sizeBytes: 300_000 }]
  for (const name of ['n0', 'n1'])
    await replicas.kube.patch(`${NODES}/${name}/status`, { status: { images, allocatable: { pods: '110' } } })
  replicas.startAgents()
  replicas.listen('pods', ({ metadata: { name }, status: shown }) => {
    if (Object(shown).phase !== Object(status).phase) void replicas.kube.patch(`${PROOFS}/${name}/status`, { status })
  })
  const dropped = ['nodewave.io/proof']
  const { found, kube } = dropping(replicas, dropped)
  await replicas.start('first', { kube })
  replicas.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'waves: [{name: canary, nodes: 1, soak: 0s}], proof: {pod: {mode: Always}}' }))
  return { found, dropped }
}

const RUNNING = { phase: 'Running', containerStatuses: [{ state: { running: { startedAt: '2026-11-21T08:01:00Z' } } }] }

test('no node is done without its proof where the server does not keep that it is wanted, the pool says why, and goes on once it is kept', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  const { found, dropped } = await withoutWishes(replicas, RUNNING)
  await replicas.clock.advance(10 * MINUTE)
  const pool = await replicas.get(`${POOLS}/workers`)
  expect(found.asked).toBeLessThan(90)
  expect(await atRevision(replicas, B)).toHaveLength(1)
  expect(readyOf(pool)).toBe('False WriteRefused')
  expect(conditionOf(pool, 'Stalled')?.message).toContain(
    'the API server does not keep nodewave.io/proof as written; correct the webhook that changes it',
  )
  dropped.pop()
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1'])
})

test('a commit whose pods fail is rejected also where the server does not keep that a proof is wanted', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  await withoutWishes(replicas, { phase: 'Failed', message: 'no network' })
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('False RolledBack')
  expect(await atRevision(replicas, B)).toEqual([])
})
