import { expect, test } from 'vitest'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40))
const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'
const REVISIONS = '/api/v1/namespaces/nodewave-revisions/configmaps'

/** A fleet at rest at `b`, that completed `a` before. */
async function aSettledStage(stage: Stage): Promise<void> {
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents()
  for (const [digit, v] of [['a', 2] as const, ['b', 3] as const]) {
    stage.push(digit, aFleet({ v }))
    await stage.until(POOLS, (found) => {
      const { stable } = (found.get('workers')?.status ?? {}) as { stable?: { revision: string } }
      stage.clock.advance(1000)
      return stable?.revision === digit.repeat(40) && readyOf(found.get('workers')) === 'True Completed'
    })
  }
}

async function annotate(stage: Stage, annotations: Record<string, string | null>): Promise<void> {
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations } })
}

test('a rollback by annotation brings every node back, and lasts until another commit arrives', async () => {
  await using stage = await aStage()
  await aSettledStage(stage)
  await annotate(stage, { 'nodewave.io/rollback': A?.slice(0, 12) ?? '', 'nodewave.io/rollback-by': 'ada 2026-11-21T08:00:00Z' })
  const back = await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === A))
  expect([...back.keys()]).toEqual(['n0', 'n1', 'n2'])
  const pools = await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'RolledBack')
  expect(pools.get('workers')?.status).toMatchObject({
    rollback: { to: { revision: A }, from: { revision: B }, who: 'ada' },
    rollbackTo: [{ revision: B }],
  })
  stage.push('c', aFleet({ v: 4 }))
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === C))
  const cleared = await stage.until(POOLS, (found) => {
    stage.clock.advance(1000)
    return found.get('workers')?.metadata.annotations?.['nodewave.io/rollback'] === undefined
  })
  expect(cleared.get('workers')?.metadata.annotations ?? {}).toEqual({})
})

test('a pool that was rolled back stays there when another controller takes over', async () => {
  await using stage = await aStage()
  await aSettledStage(stage)
  await annotate(stage, { 'nodewave.io/rollback': '' })
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === A))
  const before = stage.requests.length
  stage.startController()
  await annotate(stage, { 'nodewave.io/reconcile-at': 'now' })
  await stage.until(POOLS, (found) => JSON.stringify(found.get('workers')?.status).includes('"Reconcile"'))
  expect(stage.requests.slice(before).filter((line) => line.startsWith('PATCH /api/v1/nodes'))).toEqual([])
})

test('what a pool would be rolled back to is kept however many commits arrive', async () => {
  await using stage = await aStage()
  await aSettledStage(stage)
  const other = { more: '---\napiVersion: nodewave.io/v1alpha1\nkind: FlagSet\nmetadata: {name: other}\nspec: {flags: {v: ' }
  for (const digit of ['1', '2', '3', '4', '5']) {
    stage.push(digit, aFleet({ v: 3, more: `${other.more}${digit}}}` }))
    await stage.until(POOLS, (found) => {
      stage.clock.advance(1000)
      return (found.get('workers')?.status as { observedRevision?: string } | undefined)?.observedRevision === digit.repeat(40)
    })
  }
  const isUnneeded = (map: KubeObject | undefined) => map?.metadata.annotations?.['nodewave.io/unneeded-since'] !== undefined
  const maps = await stage.until(REVISIONS, (found) => isUnneeded(found.get('fleet-bbbbbbbbbbbb-0')))
  expect(maps.has('fleet-aaaaaaaaaaaa-0')).toBe(true)
  expect(isUnneeded(maps.get('fleet-aaaaaaaaaaaa-0'))).toBe(false)
})

/** Helm labels what it installs as its own, and who makes the ConfigMap by hand may give it no label. */
test.each([
  ['managed by nodewave', { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/kind': 'fleet' }],
  ['managed by Helm', { 'app.kubernetes.io/managed-by': 'Helm', 'nodewave.io/kind': 'fleet' }],
  ['without a label', {}],
])('a pause of the fleet holds every pool, and its end lets them go on, in a ConfigMap %s', async (_, labels) => {
  await using stage = await aStage()
  await aSettledStage(stage)
  const metadata = {
    name: 'nodewave-fleet',
    labels,
    annotations: { 'nodewave.io/paused': 'cooling', 'nodewave.io/paused-by': 'ada 2026-11-21T08:00:00Z' },
  }
  await stage.kube.create(MAPS, { metadata })
  stage.push('c', aFleet({ v: 4 }))
  const held = await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'Paused')
  expect(conditionOf(held.get('workers'), 'Stalled')?.message).toBe(
    'the whole fleet is paused by ada at 2026-11-21T08:00:00Z: cooling; nodes that have started finish; until: nodewave resume --all',
  )
  await stage.kube.patch(`${MAPS}/nodewave-fleet`, { metadata: { annotations: { 'nodewave.io/paused': null } } })
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === C))
})
