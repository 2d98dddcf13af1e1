import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness } from './some-faults.ts'
import { REVISIONS } from './some-lost-revisions.ts'
import { assignedRevision, conditionOf, NODES, POOLS } from './stage.ts'

const SHORT = A.slice(0, 12)

/** Two nodes that an operator rolled back from the newest commit, and then no controller. */
async function rolledBack(rollback: string): Promise<Replicas> {
  const replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(10 * MINUTE)
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': rollback } } })
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, A)).toEqual(['n0', 'n1'])
  await first.stop()
  return replicas
}

/** As a backup tool does it that restores no status. @returns every commit that nodes are assigned from now on */
async function loseStatus(replicas: Replicas): Promise<ReadonlySet<string | undefined>> {
  const { metadata, spec, ...pool } = await replicas.get(`${POOLS}/workers`)
  const { name, labels = {}, annotations = {} } = metadata
  await replicas.kube.delete(`${POOLS}/workers`)
  await replicas.kube.create(POOLS, {
    apiVersion: pool.apiVersion,
    kind: pool.kind,
    spec,
    metadata: { name, labels, annotations },
  })
  const assigned = new Set<string | undefined>()
  replicas.listen('nodes', (node) => assigned.add(assignedRevision(node)))
  return assigned
}

test.each([
  ['names the commit', SHORT],
  ['names none', ''],
])(
  'a pool that was rolled back stays so when its NodePool is restored without a status, and the annotation %s',
  async (_, asked) => {
    await using replicas = await rolledBack(asked)
    const assigned = await loseStatus(replicas)
    await replicas.start('second')
    await replicas.clock.advance(10 * MINUTE)
    expect([...assigned]).not.toContain(B)
    const pool = await replicas.get(`${POOLS}/workers`)
    expect(conditionOf(pool, 'Stalled')?.message).toMatch(/^rolled back to aaaaaaa /)
    expect(pool.metadata.annotations).toMatchObject({ 'nodewave.io/rollback': asked })
  },
)

test('a pool whose rollback is all that is left of its status changes no node until the commit of the rollback is restored', async () => {
  await using replicas = await rolledBack(SHORT)
  const assigned = await loseStatus(replicas)
  const { metadata, ...kept } = await replicas.get(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`)
  await replicas.kube.delete(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`)
  await replicas.start('second')
  await replicas.clock.advance(10 * MINUTE)
  expect(conditionOf(await replicas.get(`${POOLS}/workers`), 'Stalled')).toMatchObject({
    reason: 'Halted',
    message:
      'aaaaaaa can no longer be rendered; no node changes; push another commit, or: nodewave resume workers (or kubectl annotate --overwrite nwp/workers nodewave.io/rollback-)',
  })
  const { resourceVersion: _, ...restored } = metadata
  await replicas.kube.create(REVISIONS, { ...kept, metadata: restored })
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('False RolledBack')
  expect([...assigned]).not.toContain(B)
})

test('a pool goes back to what its nodes have when its NodePool was made again before the annotation is restored', async () => {
  await using replicas = await rolledBack(SHORT)
  await loseStatus(replicas)
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': null } } })
  await replicas.kube.patch(`${NODES}/n1`, { metadata: { annotations: { 'nodewave.io/hold': 'disk' } } })
  await replicas.start('second')
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0'])
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': SHORT } } })
  await replicas.clock.advance(10 * MINUTE)
  expect(await atRevision(replicas, A)).toEqual(['n0', 'n1'])
  expect(await readiness(replicas)).toBe('False RolledBack')
})

test('a pool that was rolled back stays so when its NodePool is restored with the status from before the newest commit', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(10 * MINUTE)
  const { status } = await replicas.get(`${POOLS}/workers`)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(10 * MINUTE)
  await replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': SHORT } } })
  await replicas.clock.advance(10 * MINUTE)
  await first.stop()
  const pool = await replicas.get(`${POOLS}/workers`)
  await replicas.kube.replace(`${POOLS}/workers/status`, { ...pool, status })
  const assigned = new Set<string | undefined>()
  replicas.listen('nodes', (node) => assigned.add(assignedRevision(node)))
  await replicas.start('second')
  await replicas.clock.advance(10 * MINUTE)
  expect([...assigned]).not.toContain(B)
  expect(await readiness(replicas)).toBe('False RolledBack')
})
