import { expect, test } from 'vitest'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import type { NodePoolStatus, RevisionRef } from '../../src/protocol/node-pool.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { A, B, MINUTE } from './some-faults.ts'
import { REVISIONS } from './some-lost-revisions.ts'
import { assignedRevision, conditionOf, NODES, POOLS } from './stage.ts'

const rollout = 'maxUnavailable: 1'

/** What the status said of the second commit before it failed. */
function underWayIn({ status }: KubeObject) {
  const { history = [] } = status as Partial<NodePoolStatus>
  const from = history.findIndex(({ revision }) => revision === B)
  const { revision = '', fingerprint = '', startedAt } = history[from] ?? {}
  return {
    target: { revision, fingerprint },
    history: [{ revision, fingerprint, startedAt, result: 'Running' }, ...history.slice(from + 1)],
  }
}

/** Three nodes on which the second commit has failed, and the pool has the status from before it. */
async function withOldStatus({
  older = [],
  isUnderWay = false,
}: {
  readonly older?: readonly RevisionRef[]
  readonly isUnderWay?: boolean
} = {}) {
  const replicas = await Replicas.create({ nodes: 3 })
  const works = { yet: false }
  replicas.startAgents({ outcome: (_, { REVISION }) => (REVISION === B && !works.yet ? 'rolls back' : 'applies') })
  const notes = { areRefused: false }
  const { kube } = replicas
  const patch: KubeApi['patch'] = async (path, ...rest) => {
    if (notes.areRefused && path.startsWith(REVISIONS)) throw refusal(403, 'Forbidden')
    return kube.patch(path, ...rest)
  }
  await replicas.start('first', { kube: { ...kube, patch } })
  replicas.push('a', aFleet({ rollout }))
  await replicas.clock.advance(10 * MINUTE)
  const { status } = await replicas.get(`${POOLS}/workers`)
  replicas.push('b', aFleet({ v: 4, rollout }))
  await replicas.clock.advance(10 * MINUTE)
  const pool = await replicas.get(`${POOLS}/workers`)
  const assigned = new Set<string | undefined>()
  replicas.listen('nodes', (node) => assigned.add(assignedRevision(node)))
  await replicas.kube.replace(`${POOLS}/workers/status`, {
    ...pool,
    status: { ...(status as object), ...(isUnderWay && underWayIn(pool)), rejected: older },
  })
  await replicas.clock.advance(10 * MINUTE)
  return { replicas, assigned, works, notes }
}

test('a commit that failed is not tried again when a status from before it is restored', async () => {
  const { replicas, assigned } = await withOldStatus()
  await using _ = replicas

  expect([...assigned]).not.toContain(B)
  const pool = await replicas.get(`${POOLS}/workers`)
  expect(pool.status).toMatchObject({ rejected: [{ revision: B }], stable: { revision: A } })
  expect(conditionOf(pool, 'Ready')).toMatchObject({
    reason: 'RolledBack',
    message:
      'bbbbbbb failed; the pool stays with aaaaaaa; push a fix or a revert, or: nodewave retry workers (or kubectl annotate --overwrite nwp/workers nodewave.io/retry=bbbbbbbbbbbb)',
  })
})

test('a commit that failed before an older status was restored is tried again when an operator asks, and that is kept', async () => {
  const { replicas, works } = await withOldStatus()
  await using _ = replicas
  works.yet = true
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/retry': B } } })
  await replicas.clock.advance(10 * MINUTE)

  expect((await replicas.list(NODES)).map(assignedRevision)).toEqual([B, B, B])
  const { metadata } = await replicas.get(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  expect(metadata.annotations).not.toHaveProperty(['rejected.nodewave.io/workers'])
})

test('a commit that failed is not tried again when the status that is restored from before it knows as many failed commits as are kept', async () => {
  const older = Array.from({ length: 10 }, (_, index) => ({ revision: `${index}`.repeat(40), fingerprint: `of ${index}` }))
  const { replicas, assigned } = await withOldStatus({ older })
  await using _ = replicas

  expect([...assigned]).not.toContain(B)
  const { status } = (await replicas.get(`${POOLS}/workers`)) as { status?: { rejected?: RevisionRef[] } }
  expect(status?.rejected?.map(({ revision }) => revision.slice(0, 2))).toEqual([
    ...['bb', '00', '11', '22', '33', '44', '55', '66', '77', '88'],
  ])
})

test('a commit of which an operator said that it no longer counts as failed stays so while the server refuses to remove its note', async () => {
  const { replicas, notes } = await withOldStatus()
  await using _ = replicas
  replicas.push('c', aFleet({ v: 5, rollout }))
  await replicas.clock.advance(10 * MINUTE)
  notes.areRefused = true
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/retry': B } } })
  await replicas.clock.advance(10 * MINUTE)

  expect((await replicas.get(`${POOLS}/workers`)).status).toMatchObject({
    rejected: [],
    controls: [{ action: 'Retry', outcome: 'Done' }],
  })
})

test('a commit that failed is not tried again when a status from the middle of its rollout is restored', async () => {
  const { replicas, assigned } = await withOldStatus({ isUnderWay: true })
  await using _ = replicas

  expect([...assigned]).not.toContain(B)
  const pool = await replicas.get(`${POOLS}/workers`)
  expect(pool.status).toMatchObject({ rejected: [{ revision: B }], target: { revision: A } })
})
