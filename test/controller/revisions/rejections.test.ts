import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { aFleet } from '../a-fleet.ts'
import { aStage, assignedRevision, NODES, POOLS, readyOf, type Stage } from '../stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const REVISIONS = '/api/v1/namespaces/nodewave-revisions/configmaps'
const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 100%'

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
  await notedAt(stage, ['rejected.nodewave.io/workers'])

  const assigned = stage.requests.filter((line) => line.startsWith(`PATCH ${NODES}/`)).length
  await stage.kube.delete(`${POOLS}/workers`)
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False Halted')
  expect(stage.requests.filter((line) => line.startsWith(`PATCH ${NODES}/`)).length).toBe(assigned)

  mended.yet = true
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/retry': B } } })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  await notedAt(stage, [])
})

test('a pool rolls back though the server takes no note of what failed, and the note follows', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies'))
  stage.push('a', aFleet({ rollout }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  const refused = stage.logged((line) => line.includes('fleet-bbbbbbbbbbbb-0'))
  stage.server.faults.failNext({ verb: 'patch', resource: 'configmaps', code: 500, times: 1000 })
  stage.push('b', aFleet({ rollout, v: 4 }))
  await refused
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === A))

  stage.server.faults.clear()
  await notedAt(stage, ['rejected.nodewave.io/workers'])
})

/** Resolves when the kept revision bears just these notes: they are written last in a pass. */
async function notedAt({ until, clock }: Stage, keys: readonly string[]): Promise<void> {
  await until(REVISIONS, (found) => {
    clock.advance(1000)
    const { annotations = {} } = found.get('fleet-bbbbbbbbbbbb-0')?.metadata ?? {}
    return isDeepStrictEqual(
      Object.keys(annotations).filter((key) => key.startsWith('rejected.')),
      keys,
    )
  })
}
