import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { CEILINGS_PATH, projectCeiling } from '../../../src/controller/cache/ceiling-schema.ts'
import { ceilingCrd } from '../../../src/controller/crds/ceiling-crd.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { aFleet } from '../a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, type Stage } from '../stage.ts'

const FILE = `---
apiVersion: nodewave.io/v1alpha1
kind: HostProfile
metadata: {name: sudo}
spec: {files: [{path: /etc/sudoers.d/x, content: x}]}
---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec:
  nodeSelector: {matchLabels: {role: gpu}}
  kubelet: {flags: {v: 2}}
`

test('the CustomResourceDefinition in deploy is the one of the code; else run "npm run generate"', () => {
  expect(parse(readFileSync('deploy/crds/ceilings.yaml', 'utf8'))).toEqual(JSON.parse(JSON.stringify(ceilingCrd())))
})

test('the spec of a Ceiling is read with the places of its rules', () => {
  const spec = { rules: [{ maxUnavailable: '20%', firstWave: { nodes: 3, soak: '10m' } }], blastRadius: { maxNodes: 5 } }
  expect(projectCeiling({ metadata: { name: 'fleet' }, spec })).toMatchObject({
    ceiling: { rules: [{ place: 'spec.rules[0]', maxUnavailable: { percent: 20 }, firstWave: { nodes: 3, soak: 600_000 } }] },
    blastRadius: { maxNodes: { count: 5 } },
  })
})

test.each([
  ['a value', { rules: [{ maxUnavailable: 'many' }] }, 'spec.rules.0.maxUnavailable'],
  ['a field that nobody knows', { rules: [{ maxUnavailble: 1 }] }, 'spec.rules.0'],
  ['no spec', undefined, 'spec.'],
])('a Ceiling with %s that cannot be read allows nothing', (_, spec, place) => {
  const { ceiling } = projectCeiling({ metadata: { name: 'fleet' }, spec })
  expect(ceiling.unreadable).toContain(place)
})

async function aStageWith(spec: object): Promise<Stage> {
  const stage = await aStage({ readsCeiling: true })
  await stage.kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', ceilingCrd())
  await stage.kube.create(CEILINGS_PATH, {
    apiVersion: 'nodewave.io/v1alpha1',
    kind: 'Ceiling',
    metadata: { name: 'fleet' },
    spec,
  })
  await stage.addNodes(4)
  stage.startController()
  stage.startAgents()
  return stage
}

function stalled(pools: ReadonlyMap<string, KubeObject>): string {
  const { conditions = [] } = (pools.get('workers')?.status ?? {}) as {
    conditions?: { type: string; status: string; reason: string }[]
  }
  return conditions.find(({ type, status }) => type === 'Stalled' && status === 'True')?.reason ?? ''
}

const assigned = (nodes: ReadonlyMap<string, KubeObject>) => [...nodes.values()].filter((node) => assignedRevision(node)).length

test('no node is assigned while the pool exceeds the Ceiling, and all are once it is raised', async () => {
  await using stage = await aStageWith({ rules: [{ maxUnavailable: 1 }] })
  stage.push('a', aFleet())
  await stage.until(POOLS, (pools) => stalled(pools) === 'CeilingExceeded')
  expect(assigned(await stage.until(NODES, () => true))).toBe(0)
  await stage.kube.patch(`${CEILINGS_PATH}/fleet`, { spec: { rules: [{ maxUnavailable: 4 }] } })
  await stage.until(NODES, (nodes) => assigned(nodes) === 4)
})

test('a Ceiling that is deleted limits nothing, once its kind is seen to be still there', async () => {
  await using stage = await aStageWith({ rules: [{ maxUnavailable: 1 }] })
  stage.push('a', aFleet())
  await stage.until(POOLS, (pools) => stalled(pools) === 'CeilingExceeded')
  await stage.kube.delete(`${CEILINGS_PATH}/fleet`)
  await stage.clock.awaited(5_000)
  expect(assigned(await stage.until(NODES, () => true))).toBe(0)
  stage.clock.advance(5_000)
  await stage.until(NODES, (nodes) => assigned(nodes) === 4)
})

test('a Ceiling that is gone with its kind limits everything until it is back, and the controller goes on', async () => {
  await using stage = await aStageWith({ rules: [{ maxUnavailable: 1 }] })
  stage.push('a', aFleet())
  await stage.until(POOLS, (pools) => stalled(pools) === 'CeilingExceeded')
  await stage.kube.delete('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ceilings.nodewave.io')
  await stage.clock.awaited(5_000)
  stage.clock.advance(5_000)
  const pools = await stage.until(POOLS, (found) => {
    return conditionOf(found.get('workers'), 'Stalled')?.message.includes('cannot be read') === true
  })
  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toContain('apply deploy/crds/ceilings.yaml')
  expect(assigned(await stage.until(NODES, () => true))).toBe(0)
  await stage.kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', ceilingCrd())
  await stage.clock.awaited(5_000)
  stage.clock.advance(5_000)
  await stage.until(NODES, (nodes) => assigned(nodes) === 4)
})

test.each([
  ['a path', { forbiddenPaths: ['/etc/sudoers.d'] }],
  ['the disruption', { disruption: 'none' }],
])('no node is assigned content of which the Ceiling forbids %s', async (_, limits) => {
  await using stage = await aStageWith({ rules: [limits] })
  const files = aFleet({ more: FILE })
  stage.push('a', {
    ...files,
    'fleet.yaml': `${files['fleet.yaml']}`.replace('  kubelet:', '  hostProfiles: [sudo]\n  kubelet:'),
  })
  await stage.until(POOLS, (pools) => stalled(pools) === 'CeilingExceeded')
  expect(assigned(await stage.until(NODES, () => true))).toBe(0)
})

test('a commit that exceeds the blast radius of the Ceiling needs promotion, though an earlier one took it out of the Fleet', async () => {
  await using stage = await aStageWith({ blastRadius: { maxNodes: 1 } })
  stage.push('a', aFleet())
  await stage.until(NODES, (nodes) => assigned(nodes) === 4)
  stage.push('b', aFleet({ v: 4 }))
  await stage.until(POOLS, (pools) => stalled(pools) === 'CommitNeedsPromotion')
})

test('where a Ceiling exists, a commit that loosens the rollout policy together with content needs promotion; either alone does not', async () => {
  await using stage = await aStageWith({})
  stage.push('a', aFleet({ rollout: 'maxUnavailable: 2' }))
  await stage.until(NODES, (nodes) => assigned(nodes) === 4)
  stage.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 4' }))
  const pools = await stage.until(POOLS, (found) => stalled(found) === 'CommitNeedsPromotion')

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toBe(
    'commit "bbbbbbbbbbbb" needs promotion: it changes 4 nodes and loosens the rollout policy: rollout.maxUnavailable of pool "workers" (fleet.yaml:15): 2 → 4; push one of the two first, and the other when that is accepted; if this is intended: nodewave promote --all --revision bbbbbbbbbbbb',
  )
  stage.push('c', aFleet({ rollout: 'maxUnavailable: 4' }))
  await stage.until(POOLS, (found) => stalled(found) === '')
  stage.push('d', aFleet({ v: 4, rollout: 'maxUnavailable: 4' }))
  await stage.until(NODES, (nodes) => [...nodes.values()].every((node) => assignedRevision(node)?.startsWith('dddd')))
})

const MORE = '  node: {labels: {tier: front, team: a}}\n'
const BY_TIER = { nodeSelector: { matchLabels: { tier: 'restricted' } }, forbiddenPaths: ['/etc/sudoers.d'] }

/** Four nodes with content that has the label, and after that a rule that selects by it. */
async function aStageWithRuleByLabel(): Promise<Stage> {
  const stage = await aStageWith({ rules: [{ maxUnavailable: 4 }] })
  stage.push('a', aFleet({ more: MORE }))
  await stage.until(NODES, (nodes) => assigned(nodes) === 4)
  // The first rule is there to be seen: by then the controller knows the second one, too.
  await stage.kube.patch(`${CEILINGS_PATH}/fleet`, { spec: { rules: [{ maxUnavailable: 1 }, BY_TIER] } })
  stage.push('b', aFleet({ v: 4, more: MORE }))
  await stage.until(POOLS, (pools) => stalled(pools) === 'CeilingExceeded')
  return stage
}

test('a label that an administrator sets so that a rule selects the node stays, though Git has another value for it', async () => {
  await using stage = await aStageWithRuleByLabel()
  await stage.kube.patch(`${NODES}/n0`, { metadata: { labels: { tier: 'restricted', team: 'b' } } })
  const nodes = await stage.until(NODES, (all) => all.get('n0')?.metadata.labels?.team === 'a')
  expect(nodes.get('n0')?.metadata.labels).toMatchObject({ tier: 'restricted', team: 'a' })
})

test('such a label stays when the node is assigned the same content again, as for a reboot', async () => {
  await using stage = await aStageWithRuleByLabel()
  await stage.kube.patch(`${NODES}/n0`, { metadata: { labels: { tier: 'restricted' } } })
  await stage.kube.patch(`${CEILINGS_PATH}/fleet`, { spec: { rules: [BY_TIER] } })
  stage.push('c', aFleet({ more: MORE }))
  await stage.kube.patch(`${NODES}/n0`, { metadata: { annotations: { 'nodewave.io/reboot': 'boot-of-n0 firmware' } } })
  const nodes = await stage.until(
    NODES,
    (all) => all.get('n0')?.metadata.annotations?.['nodewave.io/desired-config']?.includes('REBOOT') === true,
  )
  expect(nodes.get('n0')?.metadata.labels).toMatchObject({ tier: 'restricted', team: 'a' })
})

test('such a label stays when a commit takes it out of Git', async () => {
  await using stage = await aStageWithRuleByLabel()
  await stage.kube.patch(`${NODES}/n0`, { metadata: { labels: { tier: 'restricted' } } })
  await stage.kube.patch(`${CEILINGS_PATH}/fleet`, { spec: { rules: [BY_TIER] } })
  stage.push('c', aFleet({ v: 4 }))
  const nodes = await stage.until(NODES, (all) => [...all.values()].every((node) => assignedRevision(node)?.startsWith('cccc')))
  expect(nodes.get('n0')?.metadata.labels).toMatchObject({ tier: 'restricted' })
  expect(nodes.get('n0')?.metadata.labels).not.toHaveProperty('team')
})

const NO_POOL = {
  'fleet.yaml': 'apiVersion: nodewave.io/v1alpha1\nkind: Fleet\nmetadata: {name: fleet}\nspec: {byHand: Allow}\n',
}

test('a commit that allows assignments by hand together with content is held', async () => {
  await using stage = await aStageWith({ rules: [{ maxUnavailable: '100%' }] })
  stage.push('a', aFleet())
  await stage.completed('a'.repeat(40))
  stage.push('b', aFleet({ v: 4, fleet: 'byHand: Allow' }))
  const pools = await stage.until(POOLS, (found) => stalled(found) === 'CommitNeedsPromotion')

  expect(conditionOf(pools.get('workers'), 'Stalled')?.message).toBe(
    'commit "bbbbbbbbbbbb" needs promotion: it changes 4 nodes and loosens the rollout policy: byHand of the Fleet (fleet.yaml:5): Deny → Allow; push one of the two first, and the other when that is accepted; if this is intended: nodewave promote --all --revision bbbbbbbbbbbb',
  )
})

test('the first pool of a fleet that allows assignments by hand already is no loosening', async () => {
  await using stage = await aStageWith({ rules: [{ maxUnavailable: '100%' }] })
  stage.push('a', NO_POOL)
  await stage.until('/api/v1/namespaces/nodewave-revisions/configmaps', (found) => found.size > 0)
  stage.push('b', aFleet({ fleet: 'byHand: Allow' }))
  await stage.completed('b'.repeat(40))
})
