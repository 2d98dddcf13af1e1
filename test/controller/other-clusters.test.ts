import { expect, test } from 'vitest'
import { ClusterStatuses } from '../../src/controller/other-clusters/cluster-statuses.ts'
import { createCompiler } from '../../src/controller/revisions/compile.ts'
import { type CommitStatus, ForgeError } from '../../src/forge/status/commit-status.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]
const CLUSTER = 'apiVersion: nodewave.io/v1alpha1\nkind: Cluster\nmetadata: {name: production}\nspec: {}\n'
const GPU = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec: {nodeSelector: {matchLabels: {role: gpu}}, kubelet: {flags: {v: LEVEL}}, rollout: {maxUnavailable: 100%}}
`

/** Production: `workers` depends on staging, `gpu` on nobody. */
function production(v: number): Record<string, string> {
  const { 'fleet.yaml': fleet = '' } = aFleet({ v, more: GPU.replace('LEVEL', String(v)) })
  const dependent = fleet.replace('  rollout: {', '  dependsOn: [{cluster: staging, pool: workers}]\n  rollout: {')
  return { 'fleet.yaml': dependent, 'clusters/production.yaml': CLUSTER }
}

interface Forge {
  failure?: ForgeError
  readonly said: Omit<CommitStatus, 'description'>[]
}

function startProduction(stage: Stage, forge: Forge): () => Promise<void> {
  const statuses = {
    listByAccount: async (commit: string) => {
      if (forge.failure) throw forge.failure
      return forge.said
        .filter((status) => status.commit === commit)
        .map((status) => ({ ...status, description: '', account: 'bot' }))
    },
  }
  const contextOf = (cluster: string) => `nodewave/${cluster}`
  return stage.startController({
    compile: createCompiler({ namespace: 'nodewave-system', cluster: 'production' }),
    otherClusters: (changed) =>
      new ClusterStatuses({
        statuses,
        accounts: new Map([['', 'bot']]),
        contextOf,
        clock: stage.clock,
        log: () => undefined,
        changed,
      }),
  })
}

async function bothAt(stage: Stage): Promise<void> {
  await stage.addNodes(1)
  await stage.kube.create(NODES, labelled(stage.aNode('g0'), 'gpu'))
}

function labelled(node: object, role: string): object {
  const { metadata, ...rest } = node as KubeObject
  return { ...rest, metadata: { ...metadata, labels: { role } } }
}

const success = (commit: string) => ({ commit, context: 'nodewave/staging/workers', state: 'success' }) as const

test('a pool waits for the status of another cluster, and no other pool does', async () => {
  await using stage = await aStage()
  const forge: Forge = { said: [success(A)] }
  await bothAt(stage)
  startProduction(stage, forge)
  stage.startAgents()
  stage.push('a', production(2))
  await stage.until(POOLS, (pools) => readyOf(pools.get('workers')) === 'True Completed')

  stage.push('b', production(3))
  const waiting = await stage.until(POOLS, (pools) => readyOf(pools.get('workers')) === 'False WaitingForDependency')
  expect(conditionOf(waiting.get('workers'), 'Reconciling')?.message).toContain(
    'waits for "staging/workers", which has not completed it',
  )
  await stage.until(NODES, (nodes) => assignedRevision(nodes.get('g0')) === B)

  forge.said.push(success(B))
  await stage.clock.awaited(15_000)
  stage.clock.advance(15_000)
  const nodes = await stage.until(NODES, (all) => assignedRevision(all.get('n0')) === B)
  expect(assignedRevision(nodes.get('n0'))).toBe(B)
})

test('a forge that is down is named in the condition of the pool that waits, and delays no other', async () => {
  await using stage = await aStage()
  const forge: Forge = { said: [], failure: new ForgeError('https://git.example.com: HTTP 503: down') }
  await bothAt(stage)
  startProduction(stage, forge)
  stage.startAgents()
  stage.push('a', production(2))
  const pools = await stage.until(POOLS, (all) =>
    Boolean(conditionOf(all.get('workers'), 'Reconciling')?.message.includes('HTTP 503: down')),
  )
  expect(readyOf(pools.get('workers'))).toBe('False WaitingForDependency')
  await stage.until(POOLS, (all) => readyOf(all.get('gpu')) === 'True Completed')
})

test('a controller that reads no statuses says how to make it', async () => {
  await using stage = await aStage()
  await bothAt(stage)
  stage.startController({ compile: createCompiler({ namespace: 'nodewave-system', cluster: 'production' }) })
  stage.push('a', production(2))
  const pools = await stage.until(POOLS, (all) => readyOf(all.get('workers')) === 'False WaitingForDependency')
  expect(conditionOf(pools.get('workers'), 'Reconciling')?.message).toContain(
    'start the controller with --status-forge and --status-account',
  )
})
