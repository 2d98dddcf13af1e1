import { expect, test } from 'vitest'
import { namesFor } from '../../src/protocol/names.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, NODES } from './stage.ts'

const { status } = namesFor()
const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}], maxUnavailable: 1'

test('a fix is assigned at once when the node at work on the commit that it supersedes uses up the budget', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  stage.startController()
  stage.startAgents((_, { REVISION }) => (REVISION === 'b'.repeat(40) ? 'works on' : 'applies'))
  stage.push('a', aFleet())
  await stage.completed('a'.repeat(40))
  stage.push('b', aFleet({ rollout, v: 4 }))
  await stage.until(NODES, (nodes) =>
    [...nodes.values()].some((node) => node.metadata.annotations?.[status]?.includes('Applying')),
  )
  const pushed = stage.clock.now()
  stage.push('c', aFleet({ rollout, v: 6 }))
  await stage.until(NODES, (nodes) => [...nodes.values()].some((node) => assignedRevision(node) === 'c'.repeat(40)))
  expect(stage.clock.now() - pushed).toBe(0)
})
