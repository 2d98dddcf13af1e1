import { expect, test } from 'vitest'
import type { FleetConclusions, Telemetry } from '../../src/controller/metrics/telemetry.ts'
import { aFleet } from './a-fleet.ts'
import { NO_CONCLUSIONS } from './no-conclusions.ts'
import { aStage, NODES, POOLS, type Stage } from './stage.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]

/** A controller whose conclusions can be looked at. */
function conclusionsIn(stage: Stage): () => FleetConclusions {
  let conclusions = NO_CONCLUSIONS
  const telemetry: Telemetry = {
    ...{
      synced: () => undefined,
      passed: () => undefined,
      passFailed: () => undefined,
      writeSent: () => undefined,
      gitReadable: () => undefined,
    },
    notifies: () => () => undefined,
    leads: (given) => {
      conclusions = given ?? conclusions
    },
  }
  stage.startController({ telemetry })
  return () => conclusions
}

/** Three nodes that have completed the commit `a`. */
async function completed(stage: Stage, options: Parameters<typeof aFleet>[0] = {}): Promise<() => FleetConclusions> {
  await stage.addNodes(3)
  const conclusions = conclusionsIn(stage)
  stage.startAgents()
  stage.push('a', aFleet(options))
  await stage.completed(A)
  return conclusions
}

const reasonIs = (reason: string) => (found: ReadonlyMap<string, object>) => {
  const { conditions = [] } = ((found.get('workers') as { status?: object })?.status ?? {}) as {
    conditions?: { reason: string }[]
  }
  return conditions.some((condition) => condition.reason === reason)
}

const WAVES =
  'maxUnavailable: 100%, waves: [{name: canary, nodes: 1, soak: 10m}], gates: [{name: ready, after: [canary], nodeConditions: {require: [Ready]}}]'
const NEVER = `${WAVES}, windows: [{action: allow, schedule: "0 2 29 2 *", duration: 1h, timeZone: UTC}]`

test('a pool that has completed its commit has nothing to plan', async () => {
  await using stage = await aStage()
  const conclusions = await completed(stage)
  const [workers] = conclusions().assessments()

  expect(workers && conclusions().waiting(workers)).toBeUndefined()
  expect(await conclusions().plan('workers')).toBeUndefined()
  expect(await conclusions().plan('of nobody')).toBeUndefined()
})

test('the contents of a node are compared when it is there', async () => {
  await using stage = await aStage()
  const conclusions = await completed(stage)

  expect(await conclusions().nodeChanges('n0')).toBeDefined()
  expect(await conclusions().nodeChanges('nobody')).toBeUndefined()
})

test('a pool that the waiting commit removes has no plan', async () => {
  await using stage = await aStage()
  const conclusions = await completed(stage)
  stage.push('b', { 'fleet.yaml': 'apiVersion: nodewave.io/v1alpha1\nkind: Fleet\nmetadata: {name: fleet}\nspec: {}\n' })
  await stage.until(POOLS, reasonIs('CommitNeedsPromotion'))

  expect(await conclusions().plan('workers')).toBeUndefined()
})

test('the plan of a commit that waits for promotion has what it would change, by waves', async () => {
  await using stage = await aStage()
  const conclusions = await completed(stage, { fleet: 'blastRadius: {maxNodes: 1}' })
  await stage.kube.patch(`${NODES}/n2`, { metadata: { annotations: { 'nodewave.io/hold': 'memory' } } })
  stage.push('b', aFleet({ v: 5, fleet: 'blastRadius: {maxNodes: 1}', rollout: WAVES }))
  await stage.until(POOLS, reasonIs('CommitNeedsPromotion'))
  const plan = await conclusions().plan('workers')
  const [workers] = conclusions().assessments()

  expect(plan).toEqual({
    commit: { revision: B, subject: 'change b', author: 'Ada' },
    because: expect.stringMatching(/^commit "bbbbbbbbbbbb" needs promotion: it changes 3 of 3 nodes/),
    ...{ total: 3, changing: 2, left: 1, uncompared: 0, problems: [] },
    waves: expect.any(Array),
    groups: [
      {
        nodes: ['n0', 'n1'],
        disruption: 'restart',
        reasons: expect.any(Array),
        changes: [{ path: ['flags', 'v'], from: '2', to: '5' }],
      },
    ],
  })
  expect(plan?.waves.reduce((sum, { nodes }) => sum + nodes, 0)).toBe(2)
  expect(workers && conclusions().waiting(workers)?.revision).toBe(B)
})

test('the plan of a commit under way has the nodes that still change, in their waves', async () => {
  await using stage = await aStage()
  const conclusions = await completed(stage)
  stage.push('b', aFleet({ v: 5, rollout: NEVER }))
  await stage.until(POOLS, reasonIs('WaitingForWindow'))
  const plan = await conclusions().plan('workers')

  expect(plan).toMatchObject({ commit: { revision: B }, total: 3, changing: 3, left: 0 })
  expect(plan?.because).toBeUndefined()
  expect(plan?.waves).toEqual([
    { name: 'canary', soak: 600_000, manual: false, gates: ['ready'], nodes: 1 },
    { name: 'rest', soak: 0, manual: false, gates: [], nodes: 2 },
  ])
})

test('a commit that waits for another pool is planned with the reason', async () => {
  await using stage = await aStage()
  const conclusions = await completed(stage)
  const other = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: first}
spec:
  nodeSelector: {matchLabels: {role: first}}
  kubelet: {flags: {v: 9}}
  rollout: {windows: [{action: allow, schedule: "0 2 29 2 *", duration: 1h, timeZone: UTC}]}
`
  await stage.kube.create(NODES, { ...stage.aNode('f0'), metadata: { name: 'f0', labels: { role: 'first' } } })
  const files = aFleet({ v: 5, more: other })
  stage.push('b', { 'fleet.yaml': `${files['fleet.yaml']}`.replace('  rollout: {', '  dependsOn: [first]\n  rollout: {') })
  await stage.until(POOLS, reasonIs('WaitingForDependency'))
  const plan = await conclusions().plan('workers')

  expect(plan).toMatchObject({ commit: { revision: B }, changing: 3, because: expect.stringContaining('"first"') })
})
