import { expect, test } from 'vitest'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const THEIRS = { key: 'theirs', effect: 'NoSchedule' }
const GPU = { key: 'gpu', effect: 'NoSchedule' }

const withNode = (node: string) => aFleet({ more: `  node: ${node}\n` })

async function pushed(stage: Stage, digit: string, files: Record<string, string>): Promise<KubeObject> {
  stage.push(digit, files)
  await stage.until(NODES, (nodes) => assignedRevision(nodes.get('n0')) === digit.repeat(40))
  await stage.until(POOLS, (pools) => readyOf(pools.get('workers')) === 'True Completed')
  return stage.kube.get<KubeObject>(`${NODES}/n0`)
}

const taintsOf = (node: KubeObject): object[] => Object(node.spec).taints ?? []

test('labels, annotations and taints of the pool come with the assignment, change, and go; what others wrote stays', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startAgents()
  stage.startController()
  const settings = '{labels: {tier: front}, annotations: {example.com/owner: team-a}, taints: [{key: gpu, effect: NoSchedule}]}'
  const first = await pushed(stage, 'a', withNode(settings))
  expect(first.metadata.labels).toMatchObject({ tier: 'front', 'nodewave.io/pool': 'workers' })
  expect(first.metadata.annotations).toMatchObject({ 'example.com/owner': 'team-a' })
  expect(taintsOf(first)).toContainEqual(GPU)

  await stage.kube.patch(`${NODES}/n0`, {
    metadata: { labels: { mine: 'yes' } },
    spec: { taints: [...taintsOf(first), THEIRS] },
  })
  const second = await pushed(stage, 'b', withNode('{labels: {tier: back}}'))
  expect(second.metadata.labels).toMatchObject({ tier: 'back', mine: 'yes' })
  expect(second.metadata.annotations).not.toHaveProperty(['example.com/owner'])
  expect(taintsOf(second)).not.toContainEqual(GPU)
  expect(taintsOf(second)).toContainEqual(THEIRS)

  const third = await pushed(stage, 'c', aFleet())
  expect(third.metadata.labels).not.toHaveProperty('tier')
  expect(third.metadata.labels).toMatchObject({ mine: 'yes', role: 'worker' })
  expect(third.metadata.annotations).not.toHaveProperty(['nodewave.io/node-settings'])
})

async function settled(stage: Stage, settings: string, fleet = ''): Promise<void> {
  await stage.addNodes(1)
  stage.startAgents()
  stage.startController()
  await pushed(stage, 'a', aFleet({ more: `  node: ${settings}\n`, ...(fleet !== '' && { fleet }) }))
}

const recordOf = (node: KubeObject | undefined) => JSON.parse(node?.metadata.annotations?.['nodewave.io/node-settings'] ?? '{}')

test('what somebody removes or changes of them comes back at once, without another commit', async () => {
  await using stage = await aStage()
  await settled(
    stage,
    '{labels: {tier: front}, annotations: {example.com/owner: team-a}, taints: [{key: gpu, effect: NoSchedule}]}',
  )
  const labels = { tier: 'back', mine: 'yes' }
  const annotations = { 'example.com/owner': null }
  await stage.kube.patch(`${NODES}/n0`, { metadata: { labels, annotations }, spec: { taints: [THEIRS] } })
  const nodes = await stage.until(NODES, (all) => all.get('n0')?.metadata.labels?.tier === 'front')
  const node = nodes.get('n0')
  expect(node?.metadata.labels).toMatchObject({ tier: 'front', mine: 'yes' })
  expect(node?.metadata.annotations).toMatchObject({ 'example.com/owner': 'team-a' })
  expect(node && taintsOf(node)).toEqual([THEIRS, GPU])
  expect(Object.keys(recordOf(node).repairs)).toEqual(['label tier', 'annotation example.com/owner', 'taint gpu:NoSchedule'])
})

test('another controller that writes its own value each time wins after four repairs, until the next commit', async () => {
  await using stage = await aStage()
  await settled(stage, '{labels: {tier: front}}')
  for (let round = 0; round < 4; round += 1) {
    await stage.kube.patch(`${NODES}/n0`, { metadata: { labels: { tier: 'back' } } })
    await stage.until(NODES, (all) => all.get('n0')?.metadata.labels?.tier === 'front')
  }
  await stage.kube.patch(`${NODES}/n0`, { metadata: { labels: { tier: 'back' } } })
  const nodes = await stage.until(NODES, (all) => recordOf(all.get('n0')).contested !== undefined)
  expect(nodes.get('n0')?.metadata.labels).toMatchObject({ tier: 'back' })
  expect(recordOf(nodes.get('n0'))).toMatchObject({ drift: ['label tier'], contested: { 'label tier': '' } })
  const events = await stage.until('/api/v1/namespaces/default/events', (all) =>
    [...all.values()].some(({ reason }) => reason === 'SettingsContested'),
  )
  expect([...events.values()].find(({ reason }) => reason === 'SettingsContested')?.message).toBe(
    'others change what Git has each time that it is written again: label tier. Remove it there or in Git',
  )

  const next = await pushed(stage, 'b', withNode('{labels: {tier: middle}}'))
  expect(next.metadata.labels).toMatchObject({ tier: 'middle' })
  expect(recordOf(next)).toEqual({ labels: ['tier'] })
})

test('what somebody changes is only shown when the policy for the Node object is Report', async () => {
  await using stage = await aStage()
  await settled(stage, '{labels: {tier: front}}', 'drift: {policy: Repair, kinds: {node: Report}}')
  await stage.kube.patch(`${NODES}/n0`, { metadata: { labels: { tier: null } } })
  const nodes = await stage.until(NODES, (all) => recordOf(all.get('n0')).drift !== undefined)
  expect(recordOf(nodes.get('n0'))).toEqual({ labels: ['tier'], drift: ['label tier'] })
  expect(nodes.get('n0')?.metadata.labels).not.toHaveProperty('tier')
})
