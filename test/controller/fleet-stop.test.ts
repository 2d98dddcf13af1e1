import { expect, test } from 'vitest'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { aNode, NODES, POOLS, readyOf } from './stage.ts'
import { twoPools } from './two-pools.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** One failure stops the fleet, though `first` bears one. `workers` waits for nobody, and drains. */
function stoppable(v: number): Record<string, string> {
  const files = twoPools(v, 'maxFailures: 1, proof: {pod: {mode: Never}}')['fleet.yaml'] ?? ''
  const drained = files.replace('dependsOn: [first]\n  rollout: {', 'rollout: {drain: {mode: Always, timeout: 5h}, ')
  return { 'fleet.yaml': drained.replace('historyLimit: 3', 'historyLimit: 3, maxFailures: 0') }
}

/** A pod of that node that a budget protects. */
async function aLastingPod({ kube }: Replicas, nodeName: string): Promise<void> {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop', uid: 'shop', controller: true }]
  const [namespace, labels] = ['/apis/policy/v1/namespaces/shop', { app: 'shop' }]
  await kube.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
  const budget = { minAvailable: 1, selector: { matchLabels: labels } }
  await kube.create(`${namespace}/poddisruptionbudgets`, { metadata: { name: 'shop' }, spec: budget })
  const spec = { nodeName, containers: [{ name: 'main', image: 'shop:1' }] }
  await kube.create('/api/v1/namespaces/shop/pods', { metadata: { name: 'a', labels, ownerReferences }, spec })
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  await kube.patch('/api/v1/namespaces/shop/pods/a/status', { status })
}

test.each([
  ['takes', false, 'False Halted'],
  ['refuses', true, 'False RollingOut'],
])(
  'a node under drain in another pool is uncordoned when the fleet stops, whose server %s the status of the pool that failed',
  async (_, refuses, ready) => {
    await using replicas = await Replicas.create({ nodes: 1 })
    const { clock, kube } = replicas
    const { metadata, ...canary } = aNode('c0', clock.now()) as KubeObject
    await kube.create(NODES, { ...canary, metadata: { ...metadata, labels: { role: 'canary' } } })
    let [isBad, isRefused] = [false, false]
    replicas.startAgents({ takes: MINUTE, outcome: (node) => (isBad && node === 'c0' ? 'rolls back' : 'applies') })
    const replace: KubeApi['replace'] = async (path, ...rest) => {
      if (isRefused && path.startsWith(`${POOLS}/first`)) throw refusal(403, 'Forbidden')
      return kube.replace(path, ...rest)
    }
    await replicas.start('first', { kube: { ...kube, replace } })
    replicas.push('a', stoppable(2))
    await clock.advance(10 * MINUTE)
    isBad = true
    await aLastingPod(replicas, 'n0')
    replicas.push('b', stoppable(4))
    await clock.advance(30 * SECOND)
    const isCordoned = async () => Object((await replicas.get(`${NODES}/n0`)).spec).unschedulable === true
    expect(await isCordoned()).toBe(true)
    isRefused = refuses
    await clock.advance(10 * MINUTE)
    expect((await replicas.list(POOLS)).map(readyOf)).toEqual([ready, 'False FleetStopped'])
    expect(await isCordoned()).toBe(false)
  },
)
