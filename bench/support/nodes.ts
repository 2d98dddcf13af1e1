import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'

export interface NodeOptions {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Of the images that the kubelet lists: what makes the Nodes of real clusters large. About 190 bytes each. */
  readonly images?: number
}

export const KUBELET = '1.35.4'
const SINCE = '2026-11-01T00:00:00Z'

/** A Node as a kubelet registers it, Ready. */
export function aNode({ name, labels, images = 0 }: NodeOptions): KubeObject {
  const index = Number(/\d+$/.exec(name)?.[0] ?? 0)
  const standard = { 'kubernetes.io/hostname': name, 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...standard, 'topology.kubernetes.io/zone': `zone-${index % 3}`, ...labels } },
    status: {
      conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map(condition),
      addresses: [{ type: 'InternalIP', address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }],
      nodeInfo: {
        architecture: 'amd64',
        operatingSystem: 'linux',
        osImage: 'Debian GNU/Linux 12 (bookworm)',
        kernelVersion: '6.1.0-40-amd64',
        containerRuntimeVersion: 'containerd://2.1.4',
        kubeletVersion: `v${KUBELET}`,
      },
      images: Array.from({ length: images }, (_, image) => ({
        names: [`registry.example.com/team-${index % 40}/service-${image}@sha256:${image.toString(16).padStart(64, 'a')}`],
        sizeBytes: 100_000_000 + image,
      })),
    },
  }
}

function condition(type: string): object {
  const ready = type === 'Ready'
  return {
    type,
    status: ready ? 'True' : 'False',
    reason: ready ? 'KubeletReady' : `KubeletHasNo${type}`,
    message: ready ? 'kubelet is posting ready status' : `kubelet has no ${type}`,
    lastHeartbeatTime: SINCE,
    lastTransitionTime: SINCE,
  }
}

/** Registers nodes, as many at a time as the client has connections. */
export async function register(kube: KubeApi, nodes: readonly object[]): Promise<void> {
  await Promise.all(nodes.map((node) => kube.create('/api/v1/nodes', node)))
}
