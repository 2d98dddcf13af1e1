import type { KubeObject } from '../kube/kube-api.ts'
import { sampleLabels } from '../protocol/node-selector.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import type { NodePoolSpec } from '../repo/schema/node-pool.ts'
import type { GivenNode } from './given-node.ts'

const ZONES = ['zone-a', 'zone-b', 'zone-c']
const ZONE = 'topology.kubernetes.io/zone'

/** Nodes that nobody has, of these pools, in three zones. @throws {Error} when the fleet has no such pool */
export function inventNodes(model: FleetModel, counts: FakeNodes): GivenNode[] {
  return [...wishesOf(model, counts)].flatMap(([name, count]) => {
    const pool = model.pools.get(name)
    if (!pool)
      throw new Error(`invalid --fake-nodes "${name}=${count}": unknown pool; known pools: ${[...model.pools.keys()].join(', ')}`)
    return Array.from({ length: count }, (_, index) => inventedNode(pool, index))
  })
}

/** So many of each pool, or in all: then they are spread evenly. */
export type FakeNodes = number | ReadonlyMap<string, number>

function wishesOf({ pools }: FleetModel, counts: FakeNodes): ReadonlyMap<string, number> {
  if (typeof counts !== 'number') return counts
  const [each, left] = [Math.floor(counts / pools.size), counts % pools.size]
  return new Map([...pools.keys()].map((name, index) => [name, each + (index < left ? 1 : 0)]))
}

function inventedNode({ name, spec }: Doc<NodePoolSpec>, index: number): GivenNode {
  return {
    name: `${name}-${index}`,
    labels: { [ZONE]: ZONES[index % ZONES.length] ?? '', ...sampleLabels(spec.nodeSelector) },
    arch: 'amd64',
    osImage: 'Debian GNU/Linux 12 (bookworm)',
    internalIP: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    kubeletVersion: undefined,
    cpu: 8,
    memory: 32 * 2 ** 30,
    ready: true,
    unschedulable: false,
  }
}

/** What the API server would have of a node. */
export function nodeObject(node: GivenNode, now: number): KubeObject {
  const { name, labels, arch, osImage, internalIP, kubeletVersion, cpu, memory, ready, unschedulable } = node
  const since = new Date(now - 24 * 60 * 60_000).toISOString()
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    ...(unschedulable && { spec: { unschedulable } }),
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown', lastTransitionTime: since, lastHeartbeatTime: since }],
      nodeInfo: { architecture: arch, osImage, ...(kubeletVersion !== undefined && { kubeletVersion }) },
      capacity: { ...(cpu !== undefined && { cpu: String(cpu) }), ...(memory !== undefined && { memory: String(memory) }) },
      ...(internalIP !== undefined && { addresses: [{ type: 'InternalIP', address: internalIP }] }),
    },
  }
}
