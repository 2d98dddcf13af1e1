import { expect, test } from 'vitest'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { settled } from '../scenarios/full/settled.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness } from './some-faults.ts'
import { outOfReach, REVISIONS } from './some-lost-revisions.ts'
import { assignedRevision, POOLS } from './stage.ts'

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
