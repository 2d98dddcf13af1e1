import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness } from './some-faults.ts'
import { atSecondCommit, REVISIONS } from './some-lost-revisions.ts'
import { assignedRevision, NODES } from './stage.ts'

test('a commit whose kept revision has lost its labels is accepted again', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`, { metadata: { labels: null } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(await atRevision(replicas, A)).toEqual(['n0'])
  const events = await replicas.list('/api/v1/namespaces/default/events')
  expect(events.map(({ reason }) => reason)).not.toContain('InvalidRepository')
  expect(await readiness(replicas)).toBe('True Completed')
})

test('the revision that was accepted last keeps its labels, also where somebody removes them', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`, { metadata: { labels: null } })
  await replicas.clock.advance(MINUTE)
  expect((await replicas.get(`${REVISIONS}/fleet-aaaaaaaaaaaa-0`)).metadata.labels).toEqual({
    'app.kubernetes.io/managed-by': 'nodewave',
    'nodewave.io/kind': 'revision',
  })
})

test('a controller that starts brings no node back where the revision that was accepted last has lost its labels', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  await atSecondCommit(replicas)
  await replicas.kube.patch(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`, { metadata: { labels: null } })
  const assigned = new Set<string | undefined>()
  replicas.listen('nodes', (node) => assigned.add(assignedRevision(node)))
  await replicas.start('second')
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { touched: 'yes' } } })
  expect([...assigned]).toEqual([B])
})
