import { expect, test } from 'vitest'
import { nodePoolCrd } from '../../src/controller/crds/node-pool-crd.ts'
import { aFleet } from './a-fleet.ts'
import { startWithRefusedStatuses } from './refused-statuses.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness, SECOND, SPARE } from './some-faults.ts'
import { POOLS } from './stage.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const WORKERS = `${POOLS}/workers`

test.each<readonly [what: string, remove: (replicas: Replicas) => Promise<unknown>]>([
  ['its NodePool', ({ kube }) => kube.delete(WORKERS)],
  [
    'the kind, and installs it again',
    async ({ kube, clock }) => {
      await kube.delete(`${CRDS}/nodepools.nodewave.io`)
      await clock.advance(MINUTE)
      await kube.create(CRDS, nodePoolCrd())
    },
  ],
])('a paused pool stays paused when somebody deletes %s', async (_, remove) => {
  await using replicas = await aFleetAt('a')
  await annotate(replicas, {
    'nodewave.io/paused': 'storm',
    'nodewave.io/paused-by': 'ada 2026-11-21T08:00:00Z',
    'nodewave.io/stop-drains': 'true',
  })
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)
  await remove(replicas)
  await replicas.clock.advance(10 * MINUTE)
  expect([await readiness(replicas), await atRevision(replicas, B)]).toEqual(['False Paused', []])
  expect((await replicas.get(WORKERS)).metadata.annotations).toEqual({
    'nodewave.io/paused': 'storm',
    'nodewave.io/paused-by': 'ada 2026-11-21T08:00:00Z',
    'nodewave.io/stop-drains': 'true',
  })
})

test.each(['', A])('a pool that an operator rolled back to %j stays so when somebody deletes its NodePool', async (to) => {
  await using replicas = await aFleetAt('a')
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)
  await annotate(replicas, { 'nodewave.io/rollback': to })
  await replicas.clock.advance(MINUTE)
  await replicas.kube.delete(WORKERS)
  await replicas.clock.advance(10 * MINUTE)
  expect([await readiness(replicas), await atRevision(replicas, A)]).toEqual(['False RolledBack', ['n0', 'n1']])
})

test('a pool that leaves the repository paused, and comes back, is not paused', async () => {
  await using replicas = await aFleetAt('a', SPARE)
  const paused = { 'nodewave.io/paused': 'storm' }
  await replicas.kube.patch(`${POOLS}/spare`, { metadata: { annotations: paused } })
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet())
  await replicas.clock.advance(MINUTE)
  replicas.push('c', aFleet({ more: SPARE }))
  await replicas.clock.advance(MINUTE)
  expect((await replicas.get(`${POOLS}/spare`)).metadata.annotations).toBe(undefined)
})

test('a pool that is paused while the server refuses its status stays paused when somebody deletes its NodePool', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  const takeAgain = await startWithRefusedStatuses(replicas)
  await annotate(replicas, { 'nodewave.io/paused': 'storm' })
  await replicas.clock.advance(SECOND)
  takeAgain()
  await replicas.kube.delete(WORKERS)
  await replicas.clock.advance(10 * MINUTE)
  expect([await readiness(replicas), await atRevision(replicas, B)]).toEqual(['False Paused', []])
})

async function aFleetAt(digit: string, more = ''): Promise<Replicas> {
  const replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  await replicas.start('first')
  replicas.push(digit, aFleet({ more }))
  await replicas.clock.advance(MINUTE)
  return replicas
}

function annotate(replicas: Replicas, annotations: Record<string, string>): Promise<unknown> {
  return replicas.kube.patch(WORKERS, { metadata: { annotations } })
}
