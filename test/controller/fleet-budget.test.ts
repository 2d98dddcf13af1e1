import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf } from './stage.ts'

const B = 'b'.repeat(40)
const policy = { fleet: 'maxUnavailable: 1', rollout: 'maxUnavailable: 100%' }

test('a node that leaves its pool while its agent is at work keeps its place in the budget of the fleet', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  let isHanging = false
  stage.startController()
  stage.startAgents(() => (isHanging ? 'works on' : 'applies'))
  stage.push('a', aFleet(policy))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  isHanging = true
  stage.push('b', aFleet({ ...policy, v: 4 }))
  const found = await stage.until(NODES, (nodes) => [...nodes.values()].some((node) => assignedRevision(node) === B))
  const [busy = ''] = [...found].flatMap(([name, node]) => (assignedRevision(node) === B ? [name] : []))
  await stage.kube.patch(`${NODES}/${busy}`, { metadata: { labels: { role: 'other' } } })
  const pools = await stage.until(POOLS, (all) => readyOf(all.get('workers')) === 'False WaitingForBudget')

  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain(`the fleet's budget is used up by "${busy}" of no pool`)
  const nodes = await stage.until(NODES, () => true)
  expect([...nodes].flatMap(([name, node]) => (assignedRevision(node) === B ? [name] : []))).toEqual([busy])
})
