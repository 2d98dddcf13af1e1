import { Workload } from '../../../src/sim/fleet/workload.ts'
import type { World } from './world.ts'

const PODS = '/api/v1/namespaces/shop/pods'
const LABELS = { app: 'shop' }

/** Milliseconds. */
export const SHUTDOWN = 7_000
const STARTUP = 12_000

/** A workload with a pod for each node, of which a budget lets one be away; and a node of no pool, so that there is always room. */
export async function openShop(world: World): Promise<void> {
  const { kube, store, clock, machines, ending } = world
  await kube.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop', uid: 'shop', controller: true }
  for (const node of machines.keys()) {
    const spec = { nodeName: node, containers: [{ name: 'main', image: 'shop:1' }] }
    await kube.create(PODS, { metadata: { name: `pod-${node}`, labels: LABELS, ownerReferences: [owner] }, spec })
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await kube.patch(`${PODS}/pod-${node}/status`, { status })
  }
  const spec = { minAvailable: minAvailable(world), selector: { matchLabels: LABELS } }
  await kube.create('/apis/policy/v1/namespaces/shop/poddisruptionbudgets', { metadata: { name: 'shop' }, spec })
  await openSpareNode(world)
  new Workload({ store, kube, clock, startTime: STARTUP, signal: ending.signal })
}

async function openSpareNode({ kube }: World): Promise<void> {
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  await kube.create('/api/v1/nodes', { metadata: { name: 'spare' }, status })
  await kube.patch('/api/v1/nodes/spare', { spec: { taints: null } })
}

/** What the budget was made with; nodes that join later bring no pods. */
export function minAvailable({ shopSize }: World): number {
  return Math.max(0, shopSize - 1)
}
