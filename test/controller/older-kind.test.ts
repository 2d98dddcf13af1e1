import { expect, test } from 'vitest'
import { nodePoolCrd } from '../../src/controller/crds/node-pool-crd.ts'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { A, atRevision, B, MINUTE, readiness, refusals, SECOND } from './some-faults.ts'
import { POOLS } from './stage.ts'

const KIND = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.nodewave.io'
const D = 'd'.repeat(40)
const rollout = 'maxUnavailable: 1'

test('a pool of a kind that does not know its stable commit changes no node, and returns to that commit once the kind is upgraded', async () => {
  await using replicas = await aFleetAtA()
  replicas.push('b', aFleet({ v: 4, rollout }))
  await replicas.clock.advance(15 * SECOND)
  await installKind(replicas, 'stable')
  await replicas.clock.advance(MINUTE)
  const begun = await atRevision(replicas, B)
  await replicas.clock.advance(10 * MINUTE)
  expect([await atRevision(replicas, B), await refusals(replicas)]).toEqual([begun, ['ActionRefused']])
  replicas.push('d', aFleet({ v: 8, rollout }))
  await installKind(replicas)
  await replicas.clock.advance(20 * MINUTE)
  expect([await atRevision(replicas, A), await readiness(replicas)]).toEqual([['n0', 'n1', 'n2', 'n3'], 'False RolledBack'])
})

test('a rollback by an operator that the kind does not know is done once the kind is upgraded, also where somebody writes to the NodePool', async () => {
  await using replicas = await aFleetAtA()
  replicas.push('b', aFleet({ v: 4, rollout }))
  await replicas.clock.advance(5 * MINUTE)
  await installKind(replicas, 'rollback')
  await annotate(replicas, { 'nodewave.io/rollback': A })
  await replicas.clock.advance(MINUTE)
  await annotate(replicas, { 'example.com/theirs': 'yes' })
  await replicas.clock.advance(5 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1', 'n2', 'n3'])
  await installKind(replicas)
  await replicas.clock.advance(10 * MINUTE)
  expect([await atRevision(replicas, A), await readiness(replicas)]).toEqual([['n0', 'n1', 'n2', 'n3'], 'False RolledBack'])
})

async function aFleetAtA(): Promise<Replicas> {
  const replicas = await Replicas.create({ nodes: 4 })
  replicas.startAgents({ takes: 10 * SECOND, outcome: (_, { REVISION }) => (REVISION === D ? 'rolls back' : 'applies') })
  await replicas.start('first')
  replicas.push('a', aFleet({ rollout }))
  await replicas.clock.advance(3 * MINUTE)
  return replicas
}

/** @param unknown a member of the status that it does not know, as one of an earlier release */
async function installKind({ kube }: Replicas, unknown?: string): Promise<void> {
  const kind = structuredClone(nodePoolCrd()) as unknown as Kind
  const { status } = kind.spec.versions[0].schema.openAPIV3Schema.properties
  if (unknown !== undefined) delete status.properties[unknown]
  const { resourceVersion } = (await kube.get<{ metadata: { resourceVersion: string } }>(KIND)).metadata
  await kube.replace(KIND, { ...kind, metadata: { ...kind.metadata, resourceVersion } })
}

interface Kind {
  readonly metadata: object
  readonly spec: {
    readonly versions: readonly [
      { readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly status: Schema } } } },
    ]
  }
}

interface Schema {
  readonly properties: Record<string, unknown>
}

function annotate(replicas: Replicas, annotations: Record<string, string>): Promise<unknown> {
  return replicas.kube.patch(`${POOLS}/workers`, { metadata: { annotations } })
}
