import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { B, MINUTE, readiness, SECOND } from './some-faults.ts'
import { MAPS } from './some-lost-revisions.ts'
import { conditionOf, NODES, POOLS } from './stage.ts'

const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/nodewave-system/roles'

/** Two nodes that were assigned the second commit, and whose agents have said nothing of it yet. */
async function beforeReading(works = { yet: false }): Promise<Replicas> {
  const replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents({ outcome: (_, { REVISION }) => (REVISION === B && !works.yet ? 'says nothing' : 'applies') })
  await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(10 * MINUTE)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(5 * SECOND)
  return replicas
}

async function assignedPayloads(replicas: Replicas): Promise<readonly string[]> {
  const { metadata } = await replicas.get(`${NODES}/n0`)
  const { KUBELET_CONFIG, HOST_CONFIG } = JSON.parse(metadata.annotations?.['nodewave.io/desired-config'] ?? '{}')
  return [HOST_CONFIG, KUBELET_CONFIG].filter((name) => name !== undefined)
}

async function namesIn(replicas: Replicas, collection: string): Promise<readonly string[]> {
  return (await replicas.list(collection)).map(({ metadata }) => metadata.name).sort()
}

test('payloads that somebody deletes before agents have read them are written again at once', async () => {
  await using replicas = await beforeReading()
  const payloads = await assignedPayloads(replicas)
  for (const name of await namesIn(replicas, MAPS)) await replicas.kube.delete(`${MAPS}/${name}`)
  await replicas.clock.advance(SECOND)

  expect(await namesIn(replicas, MAPS)).toEqual(payloads)
  expect(payloads).toHaveLength(2)
})

test('the right to read payloads that somebody deletes before agents have read them is written again at once', async () => {
  await using replicas = await beforeReading()
  for (const name of await namesIn(replicas, ROLES)) await replicas.kube.delete(`${ROLES}/${name}`)
  await replicas.clock.advance(SECOND)

  expect(await namesIn(replicas, ROLES)).toEqual(['nodewave-node-n0', 'nodewave-node-n1'])
})

test('a pool names the payload in whose place somebody put another ConfigMap, and goes on when that is deleted', async () => {
  await using replicas = await beforeReading()
  const [first = ''] = await assignedPayloads(replicas)
  await replicas.kube.delete(`${MAPS}/${first}`)
  await replicas.kube.create(MAPS, { metadata: { name: first }, data: { host: 'another' } })
  await replicas.clock.advance(MINUTE)

  expect(await readiness(replicas)).toBe('False WriteRefused')
  expect(conditionOf(await replicas.get(`${POOLS}/workers`), 'Stalled')?.message).toContain(
    `create ConfigMap "${first}": one with this name and other content exists; delete it`,
  )
  await replicas.kube.delete(`${MAPS}/${first}`)
  await replicas.clock.advance(MINUTE)
  expect((await replicas.get(`${MAPS}/${first}`)).immutable).toBe(true)
})

test('a payload that somebody deletes after agents have read it is not written again', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(10 * MINUTE)
  for (const name of await namesIn(replicas, MAPS)) await replicas.kube.delete(`${MAPS}/${name}`)
  await replicas.clock.advance(MINUTE)

  expect(await namesIn(replicas, MAPS)).toEqual([])
})

test('a pool is completed when agents end their work with what they had read before somebody put another ConfigMap in its place', async () => {
  const works = { yet: false }
  await using replicas = await beforeReading(works)
  const [first = ''] = await assignedPayloads(replicas)
  await replicas.kube.delete(`${MAPS}/${first}`)
  await replicas.kube.create(MAPS, { metadata: { name: first }, data: { host: 'another' } })
  await replicas.clock.advance(MINUTE)
  expect(await readiness(replicas)).toBe('False WriteRefused')

  works.yet = true
  replicas.startAgents()
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})

test('payloads that something deletes each time are written again at most twenty times an hour', async () => {
  await using replicas = await beforeReading()
  const payloads = await assignedPayloads(replicas)
  let written = 0
  for (let deletions = 0; deletions < 60; deletions += 1) {
    const found = await namesIn(replicas, MAPS)
    written += found.filter((name) => payloads.includes(name)).length
    for (const name of found) await replicas.kube.delete(`${MAPS}/${name}`)
    await replicas.clock.advance(SECOND)
  }

  // Those of the assignment, and twenty times those that were lost.
  expect(written).toBe(42)
})
