import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf } from './stage.ts'

const B = 'b'.repeat(40)
const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%, manual: true}], maxUnavailable: 100%'

test('a manual wave waits for the annotation that the condition names', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.push('b', aFleet({ rollout, v: 4 }))
  const waiting = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False WaitingForPromotion')
  const atB = [...(await stage.until(NODES, () => true)).values()].filter((node) => assignedRevision(node) === B)
  expect(atB.length).toBe(1)
  const { message = '' } = conditionOf(waiting.get('workers'), 'Ready') ?? {}
  const [, name = '', revision] = /kubectl annotate --overwrite nwp\/workers (\S+)=(\w+)\)/.exec(message) ?? []
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { [name]: revision } } })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === B))
})
