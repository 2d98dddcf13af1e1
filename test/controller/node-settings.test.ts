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
