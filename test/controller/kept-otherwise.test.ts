import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { formatCordonMark } from '../../src/protocol/cordon-mark.ts'
import { aFleet } from './a-fleet.ts'
import { dropping } from './dropping.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { atRevision, B, MINUTE, readiness, refusals, SECOND } from './some-faults.ts'
import { conditionOf, NODES, POOLS, readyOf } from './stage.ts'

test('a NodePool whose spec the server keeps otherwise than written is written again no sooner than what it refuses, and an event says what', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let asked = 0
  let isChanged = true
  const changed = (spec: object) => (isChanged ? { ...spec, rollout: { maxUnavailable: 1 } } : spec)
  const create: KubeApi['create'] = async (path, body, options) => {
    if (path !== POOLS) return replicas.kube.create(path, body, options)
    asked += 1
    return replicas.kube.create(path, { ...Object(body), spec: changed(Object(body).spec) }, options)
  }
  const patch: KubeApi['patch'] = async (path, body, options) => {
    if (!path.startsWith(POOLS) || !Array.isArray(body)) return replicas.kube.patch(path, body, options)
    asked += 1
    const [{ value, ...replaced }, version] = body
    return replicas.kube.patch(path, [{ ...replaced, value: changed(value) }, version], options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, create, patch } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(asked).toBeLessThan(15)
  const events = await replicas.list('/api/v1/namespaces/default/events')
  expect(events.find(({ reason }) => reason === 'ActionRefused')?.message).toBe(
    'write spec of pool "workers": the cluster does not keep its "rollout" as written; a webhook changes it, ' +
      "or the NodePool kind there is another than this controller's: kubectl apply -f deploy/crds/nodepools.yaml",
  )
  isChanged = false
  await replicas.clock.advance(MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})

/** The controller cordoned the node for content that it is no longer to get. */
const MARK = formatCordonMark({ digest: `v1:${'9'.repeat(64)}`, at: Date.UTC(2026, 10, 21, 8), state: 'Ours' })

const OTHER_POOL = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: gpu}
spec:
  nodeSelector: {matchLabels: {role: gpu}}
  kubelet: {flags: {v: 2}}
`

test('a node whose label of its pool the server refuses to write alone is uncordoned and gets its next assignment at once', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let refused = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels = {}, annotations } = Object(Object(body).metadata)
    if (path === `${NODES}/n0` && 'nodewave.io/pool' in labels && annotations === undefined) {
      refused++
      throw refusal(403, 'Forbidden')
    }
    return replicas.kube.patch(path, body, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet({ more: OTHER_POOL }))
  await replicas.clock.advance(MINUTE)
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { labels: { role: 'gpu' } } })
  await replicas.clock.advance(MINUTE)
  expect(refused).toBeGreaterThan(0)
  await replicas.kube.patch(`${NODES}/n0`, {
    metadata: { annotations: { 'nodewave.io/cordoned-for': MARK } },
    spec: { unschedulable: true },
  })
  await replicas.clock.advance(SECOND)
  expect((await replicas.get(`${NODES}/n0`)).spec).not.toHaveProperty('unschedulable')
  expect(await refusals(replicas)).toEqual(['SettingsRefused'])
  replicas.push('b', aFleet({ v: 4, more: OTHER_POOL.replace('v: 2', 'v: 4') }))
  await replicas.clock.advance(SECOND)
  expect(await atRevision(replicas, B)).toEqual(['n0'])
})

test('a node whose assignment the server does not keep is assigned again later, and the pool says why', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { found, kube } = dropping(replicas, ['nodewave.io/desired-config'])
  await replicas.start('first', { kube })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  const [pool] = await replicas.list(POOLS)
  expect(found.asked).toBeLessThan(15)
  expect(readyOf(pool)).toBe('False WriteRefused')
  expect(conditionOf(pool, 'Stalled')?.message).toContain(
    'the API server does not keep nodewave.io/desired-config as written; correct the webhook that changes it',
  )
})

type Patch = { readonly annotations: Readonly<Record<string, string | null>>; readonly unschedulable?: true | null }

/** What the controller writes to the node between 2 and 12 minutes, though the server keeps none of it. */
async function askedInVain(
  isMeant: (patch: Patch) => boolean,
  { node, proof }: { node: object; proof: string },
): Promise<number> {
  await using replicas = await Replicas.create({ nodes: 1 })
  const { clock, kube } = replicas
  await kube.create('/api/v1/namespaces', { metadata: { name: 'nodewave-proof' } })
  const images = [{ names: ['registry.k8s.io/pause:3.10'], sizeBytes: 300_000 }]
  await kube.patch(`${NODES}/n0/status`, { status: { images, allocatable: { pods: '110' } } })
  replicas.startAgents({ takes: SECOND })
  let asked = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { metadata, spec } = Object(body)
    if (!path.startsWith(NODES) || !isMeant({ ...spec, annotations: Object(metadata).annotations ?? {} }))
      return kube.patch(path, body, options)
    asked += 1
    return kube.get(path)
  }
  const files = (v: number) =>
    aFleet({ v, more: '  node: {labels: {tier: front}}\n', rollout: `drain: {mode: Always}, proof: {pod: {mode: ${proof}}}` })
  await replicas.start('first', { kube: { ...kube, patch } })
  replicas.push('a', files(2))
  await clock.advance(2 * MINUTE)
  await kube.patch(`${NODES}/n0`, node)
  await clock.advance(MINUTE)
  replicas.push('b', files(4))
  await clock.advance(9 * MINUTE)
  return asked
}

test.each<readonly [what: string, isMeant: (patch: Patch) => boolean, node: object, proof: string]>([
  ['cordon', ({ unschedulable }) => unschedulable === true, {}, 'Never'],
  ['uncordon', ({ unschedulable }) => unschedulable === null, {}, 'Never'],
  [
    'clearing of a request to reboot',
    ({ annotations }) => annotations['nodewave.io/reboot'] === null,
    { metadata: { annotations: { 'nodewave.io/reboot': 'x' } } },
    'Never',
  ],
  [
    'permission to assign by hand',
    ({ annotations }) => 'nodewave.io/by-hand' in annotations,
    { metadata: { annotations: { 'nodewave.io/by-hand': 'Allow' } } },
    'Never',
  ],
  [
    'restored label',
    ({ annotations }) => Object.keys(annotations).join() === 'nodewave.io/node-settings',
    { metadata: { labels: { tier: 'back' } } },
    'Never',
  ],
  ['result of a proof', ({ annotations }) => Object.keys(annotations).join() === 'nodewave.io/proof', {}, 'Always'],
])('what the server accepts and does not keep of a node is written again later: %s', async (_, isMeant, node, proof) => {
  const asked = await askedInVain(isMeant, { node, proof })
  expect(asked).toBeGreaterThan(1)
  expect(asked).toBeLessThan(90)
})

test('a node whose label of its pool the server does not keep gets it again later, and an event says why', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const { found, kube } = dropping(replicas, ['nodewave.io/pool'])
  await replicas.start('first', { kube })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(found.asked).toBeLessThan(15)
  expect(await readiness(replicas)).toBe('True Completed')
  expect(await refusals(replicas)).toEqual(['SettingsRefused'])
})
