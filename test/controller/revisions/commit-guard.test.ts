import { expect, test } from 'vitest'
import { projectCeiling } from '../../../src/controller/cache/ceiling-schema.ts'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { PoolRenderer } from '../../../src/controller/fleet/pool-renderer.ts'
import { commitGuard } from '../../../src/controller/revisions/commit-guard.ts'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { aFleet } from '../a-fleet.ts'
import { aSnapshot } from '../a-snapshot.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from '../stage.ts'

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40))
const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'
const EVENTS = '/api/v1/namespaces/default/events'
const LIMITED = { fleet: 'blastRadius: {maxNodes: 50%}' }
const LABELS = { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/kind': 'fleet' }

/** A fleet of three nodes at rest at `a`. */
async function aSettledStage(stage: Stage, files = aFleet(LIMITED)): Promise<void> {
  await stage.kube.create(MAPS, { metadata: { name: 'nodewave-fleet', labels: LABELS } })
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents()
  stage.push('a', files)
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
}

function isHeld(pools: ReadonlyMap<string, KubeObject>): boolean {
  return conditionOf(pools.get('workers'), 'Stalled')?.reason === 'CommitNeedsPromotion'
}

function isAt(revision: string | undefined) {
  return (nodes: ReadonlyMap<string, KubeObject>) => [...nodes.values()].every((node) => assignedRevision(node) === revision)
}

async function promote(stage: Stage, commit: string | undefined): Promise<void> {
  await stage.kube.patch(`${MAPS}/nodewave-fleet`, { metadata: { annotations: { 'nodewave.io/promote': commit } } })
}

test('a commit that changes more than the fleet lets through is held until it is promoted, and says why', async () => {
  await using stage = await aStage()
  await aSettledStage(stage)
  stage.push('b', aFleet({ ...LIMITED, v: 4 }))
  const pools = await stage.until(POOLS, isHeld)

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toBe(
    `commit "bbbbbbbbbbbb" needs promotion: it changes 3 of 3 nodes, and blastRadius.maxNodes is 50%; if this is intended: nodewave promote --all --revision bbbbbbbbbbbb`,
  )
  expect(pools.get('workers')?.status).toMatchObject({ observedRevision: B, target: { revision: A } })
  expect(isAt(A)(await stage.until(NODES, () => true))).toBe(true)
  await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'CommitNeedsPromotion'))
  await promote(stage, B?.slice(0, 12))
  await stage.until(NODES, isAt(B))
  await stage.until(POOLS, (found) => {
    stage.clock.advance(1000)
    return readyOf(found.get('workers')) === 'True Completed'
  })
})

test('a held commit is held by the controller that takes over, too, and changes nothing meanwhile', async () => {
  await using stage = await aStage()
  await aSettledStage(stage)
  stage.push('b', aFleet({ ...LIMITED, v: 4 }))
  await stage.until(POOLS, isHeld)
  stage.startController()
  stage.push('b', aFleet({ ...LIMITED, v: 4 }))
  await stage.logged((line) => line.startsWith('warn commit "bbbbbbbbbbbb" needs promotion'))

  expect(isAt(A)(await stage.until(NODES, () => true))).toBe(true)
})

test('a held commit gives way to the next one, which counts with all that it brings', async () => {
  await using stage = await aStage()
  await aSettledStage(stage)
  stage.push('b', aFleet({ ...LIMITED, v: 4 }))
  await stage.until(POOLS, isHeld)
  stage.push('c', aFleet({ ...LIMITED, v: 4, rollout: 'maxUnavailable: 1' }))
  await stage.until(POOLS, (found) => (conditionOf(found.get('workers'), 'Stalled')?.message ?? '').includes('cccccccccccc'))
  await promote(stage, B)
  stage.push('a', aFleet(LIMITED))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')

  expect(isAt(A)(await stage.until(NODES, () => true))).toBe(true)
  await promote(stage, C)
  stage.push('c', aFleet({ ...LIMITED, v: 4, rollout: 'maxUnavailable: 1' }))
  await stage.until(NODES, isAt(C))
})

test('a commit that drops a pool with nodes is held without any limit stated, and its object stays', async () => {
  await using stage = await aStage()
  await aSettledStage(stage, aFleet())
  stage.push('b', { 'fleet.yaml': 'apiVersion: nodewave.io/v1alpha1\nkind: Fleet\nmetadata: {name: fleet}\nspec: {}\n' })
  const pools = await stage.until(POOLS, isHeld)

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain(
    'commit "bbbbbbbbbbbb" needs promotion: it removes every pool of the fleet; it removes pool "workers" with 3 nodes; if this is intended: nodewave promote --all --revision bbbbbbbbbbbb',
  )
  await promote(stage, B)
  await stage.until(POOLS, (found) => found.size === 0)
})

test('a revert to what the pool completed before is not held', async () => {
  await using stage = await aStage()
  await aSettledStage(stage)
  await promote(stage, B)
  stage.push('b', aFleet({ ...LIMITED, v: 4 }))
  await stage.until(NODES, isAt(B))
  stage.push('c', aFleet(LIMITED))
  await stage.until(NODES, isAt(C))
})

test("the fleet's own cap holds over its pools, from the repository to the nodes", async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  for (const name of ['g0', 'g1']) {
    const node = stage.aNode(name) as KubeObject
    await stage.kube.create(NODES, { ...node, metadata: { ...node.metadata, labels: { role: 'gpu' } } })
  }
  stage.startController()
  const gpu = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec: {nodeSelector: {matchLabels: {role: gpu}}, rollout: {maxUnavailable: 100%}}
`
  stage.push('a', aFleet({ fleet: 'maxUnavailable: 1', more: gpu }))
  await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Reconciling')?.reason === 'WaitingForBudget')
  const nodes = await stage.until(NODES, (found) => [...found.values()].some((node) => assignedRevision(node) !== undefined))

  expect([...nodes.values()].filter((node) => assignedRevision(node) !== undefined)).toHaveLength(1)
  stage.startAgents()
  await stage.until(NODES, isAt(A))
})

const EMPTY = { 'fleet.yaml': 'apiVersion: nodewave.io/v1alpha1\nkind: Fleet\nmetadata: {name: fleet}\nspec: {}\n' }
const OURS = { 'app.kubernetes.io/managed-by': 'nodewave' }
const GPU =
  '---\napiVersion: nodewave.io/v1alpha1\nkind: NodePool\nmetadata: {name: gpu}\nspec: {nodeSelector: {matchLabels: {role: gpu}}}\n'
const HALF = aFleet(LIMITED)
const MORE = aFleet({ ...LIMITED, v: 4 })
const LOOSE = aFleet({ v: 4, rollout: 'maxUnavailable: 100%, maxFailures: 1' })
const compile = createCompiler({ namespace: 'nodewave-system' })

interface Asked {
  readonly from?: Readonly<Record<string, string>>
  readonly to: Readonly<Record<string, string>>
  /** Of the nodes. */
  readonly roles: readonly string[]
  readonly ceiling?: object
  /** Of the NodePool in the cluster; absent: there is none. */
  readonly pool?: Partial<KubeObject['metadata']>
}

/** What stands before the remedy. */
function objectionTo({ from, to, roles, ceiling, pool }: Asked): string | undefined {
  const nodes = roles.map((role, index) => projectNode(namesFor())({ metadata: { name: `n${index}`, labels: { role } } }))
  const ceilings = ceiling ? [projectCeiling({ metadata: { name: 'fleet' }, spec: ceiling })] : []
  const pools = pool ? [projectNodePool({ metadata: { name: 'workers', ...pool } })] : []
  const byName = <T extends { readonly name: string }>(items: readonly T[]) => {
    const map = new Map(items.map((item) => [item.name, item]))
    return { items: map, get: (name: string) => map.get(name) } as never
  }
  const cluster = { nodes: byName(nodes), pools: byName(pools), fleet: byName([]), ceilings: byName(ceilings) }
  const guard = commitGuard({ cluster, renderer: new PoolRenderer() })
  const said = guard.objection(compile(aSnapshot('b', to)), from && compile(aSnapshot('a', from)))
  return said?.slice('commit "bbbbbbbbbbbb" needs promotion: '.length).split('; if this is intended')[0]
}

test.each<readonly [what: string, asked: Asked, objection: string | undefined]>([
  [
    'changes every node, beside nodes of no pool',
    { from: HALF, to: MORE, roles: ['worker', 'worker', 'other', 'other'] },
    'it changes 2 of 2 nodes, and blastRadius.maxNodes is 50%',
  ],
  [
    'adds a pool with more nodes than there were',
    { from: HALF, to: aFleet({ ...LIMITED, more: GPU }), roles: ['worker', 'gpu', 'gpu'] },
    'it changes 2 of 3 nodes, and blastRadius.maxNodes is 50%',
  ],
  [
    'removes a pool with a node',
    { from: aFleet({ ...LIMITED, more: GPU }), to: HALF, roles: ['worker', 'gpu'] },
    'it removes pool "gpu" with 1 node',
  ],
  ['loosens the policy together with content, without a Ceiling', { from: aFleet(), to: LOOSE, roles: ['worker'] }, undefined],
  [
    'loosens the policy together with content, under a Ceiling',
    { from: aFleet(), to: LOOSE, roles: ['worker'], ceiling: {} },
    'it changes 1 node and loosens the rollout policy: rollout.maxFailures of pool "workers" (fleet.yaml:15): 0 → 1; push one of the two first, and the other when that is accepted',
  ],
  ['is the first one, under a Ceiling', { to: LOOSE, roles: ['worker'], ceiling: { blastRadius: { maxNodes: 0 } } }, undefined],
  [
    'has no pool, and the cluster has one of the controller',
    { to: EMPTY, roles: [], pool: { labels: OURS } },
    'it removes every pool of the fleet',
  ],
  ['has no pool, and the cluster has one of somebody else', { to: EMPTY, roles: [], pool: {} }, undefined],
  [
    'has no pool, and that of the controller is being deleted',
    { to: EMPTY, roles: [], pool: { labels: OURS, deletionTimestamp: '2026-11-21T08:00:00Z' } },
    undefined,
  ],
  [
    'exceeds the Ceiling',
    { from: aFleet(), to: aFleet({ v: 4 }), roles: ['worker', 'worker'], ceiling: { blastRadius: { maxNodes: 1 } } },
    'it changes 2 of 2 nodes, and blastRadius.maxNodes is 1',
  ],
])('a commit is held, or not, when it %s', (_, asked, objection) => {
  expect(objectionTo(asked)).toBe(objection)
})
