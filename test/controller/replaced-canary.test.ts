import { expect, test } from 'vitest'
import { parsePoolStatus } from '../../src/controller/cache/node-pool-status.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, type Stage } from './stage.ts'

const [A, B] = ['a', 'b'].map((digit) => digit.repeat(40))

/** Its machine hangs: its agent says nothing more, and after a while Kubernetes takes it for not Ready. */
async function goesDown(stage: Stage, node: string): Promise<void> {
  const lastTransitionTime = new Date(stage.clock.now()).toISOString()
  const status = { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime }] }
  await stage.kube.patch(`${NODES}/${node}/status`, { status }, { type: 'strategic' })
}

const lossesOf = (pools: ReadonlyMap<string, KubeObject>): readonly string[] =>
  parsePoolStatus(pools.get('workers')?.status).history?.[0]?.losses?.nodes.map(({ name }) => name) ?? []

test('a commit that hangs machines stops at its canary, though each machine that hangs is replaced after two minutes', async () => {
  await using stage = await aStage()
  await stage.addNodes(4)
  stage.startController()
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'says nothing' : 'applies'))
  const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}]'
  stage.push('a', aFleet({ rollout }))
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3, rollout }))
  const [canary = ''] = [
    ...(await stage.until(NODES, (found) => [...found.values()].some((node) => assignedRevision(node) === B))),
  ]
    .filter(([, node]) => assignedRevision(node) === B)
    .map(([name]) => name)
  await goesDown(stage, canary)
  const atRisk = stage.until(POOLS, (found) => lossesOf(found).includes(canary))
  await stage.clock.passUntil(atRisk, { atMost: 2 * 60_000 })

  await stage.kube.delete(`${NODES}/${canary}`)
  const pools = await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'RolledBack')

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain(`bbbbbbb failed on "${canary}": replaced after`)
  const nodes = await stage.until(NODES, () => true)
  expect([...nodes.values()].filter((node) => assignedRevision(node) === B)).toEqual([])
})

const messageOf = (pools: ReadonlyMap<string, KubeObject>): string => conditionOf(pools.get('workers'), 'Ready')?.message ?? ''

test('a machine that was down before the commit fails nothing when it is replaced in the middle of the rollout', async () => {
  await using stage = await aStage()
  await stage.addNodes(4)
  stage.startController()
  const changed = new Set<string>()
  stage.startAgents((node, { REVISION }) => {
    if (REVISION === B) changed.add(node)
    return REVISION !== B || changed.size === 1 ? 'applies' : 'works on'
  })
  const rollout = 'maxUnavailable: 100%, waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}]'
  stage.push('a', aFleet({ rollout }))
  await stage.completed(A)
  await goesDown(stage, 'n0')
  const isDown = stage.until(POOLS, (found) => messageOf(found).includes('1 Unreachable'))
  await stage.clock.passUntil(isDown, { atMost: 1_000 })
  stage.clock.advance(5 * 60_000)
  stage.push('b', aFleet({ v: 3, rollout }))
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === B))

  await stage.kube.delete(`${NODES}/n0`)
  const isSeen = stage.until(POOLS, (found) => / of 3 nodes|failed/.test(messageOf(found)))
  const pools = await stage.clock.passUntil(isSeen, { atMost: 60_000 })

  expect(messageOf(pools)).toMatch(/^1 of 3 nodes are at bbbbbbb/)
})
