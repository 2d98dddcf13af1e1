import { expect, test } from 'vitest'
import { aFleet } from '../a-fleet.ts'
import { aStage, assignedRevision, NODES, POOLS, readyOf } from '../stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const REVISION_B = `/api/v1/namespaces/nodewave-revisions/configmaps/fleet-${'b'.repeat(12)}-0`
const rollout = 'waves: [{name: canary, nodes: 1}, {name: rest, nodes: 100%}], maxUnavailable: 100%'

test('a NodePool object that somebody deletes does not take with it which commit failed, and a retry does', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  const mended = { yet: false }
  stage.startController()
  stage.startAgents((_, { REVISION }) => (REVISION === B && !mended.yet ? 'rolls back' : 'applies'))
  stage.push('a', aFleet({ rollout }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.push('b', aFleet({ rollout, v: 4 }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack')
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === A))
  expect(await rejectionsAt(stage)).toEqual(['rejected.nodewave.io/workers'])

  const assigned = stage.requests.filter((line) => line.startsWith(`PATCH ${NODES}/`)).length
  await stage.kube.delete(`${POOLS}/workers`)
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False Halted')
  expect(stage.requests.filter((line) => line.startsWith(`PATCH ${NODES}/`)).length).toBe(assigned)

  mended.yet = true
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/retry': B } } })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  expect(await rejectionsAt(stage)).toEqual([])
})

async function rejectionsAt({ kube }: Awaited<ReturnType<typeof aStage>>): Promise<string[]> {
  const { metadata } = await kube.get<{ metadata: { annotations: Record<string, string> } }>(REVISION_B)
  return Object.keys(metadata.annotations).filter((key) => key.startsWith('rejected.'))
}
