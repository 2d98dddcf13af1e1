import { kubeNodeApi } from '../agent/adapters/kube-node-api.ts'
import { Agent } from '../agent/loop/agent.ts'
import { DEFAULT_OPTIONS } from '../agent/options.ts'
import type { KubeApi } from '../kube/kube-api.ts'
import { type NodeStatus, SimulatedHost } from '../sim/host/simulated-host.ts'
import { scaledClock } from '../sim/scaled-clock.ts'

/** How much faster than on a real machine a simulated kubelet starts and an agent watches it. */
const HASTE = 20

export interface Machine {
  readonly name: string
  readonly zone: string
  readonly labels: Readonly<Record<string, string>>
}

/** Three control-plane nodes, four with GPUs, and workers up to `count` in all, spread over three zones. */
export function machines(count: number): Machine[] {
  const zones = ['zone-a', 'zone-b', 'zone-c']
  const group = (prefix: string, size: number, labels: Record<string, string>): Machine[] =>
    Array.from({ length: size }, (_, index) => ({
      name: `${prefix}-${index}`,
      zone: zones[index % zones.length] ?? '',
      labels,
    }))
  return [
    ...group('control-plane', 3, { 'node-role.kubernetes.io/control-plane': '' }),
    ...group('gpu', 4, { 'node-role.kubernetes.io/gpu': '' }),
    ...group('worker', count - 7, { 'node-role.kubernetes.io/worker': '' }),
  ]
}

export interface FleetOptions {
  readonly api: KubeApi
  readonly machines: readonly Machine[]
  /** Of the kubelets that the machines are made with. */
  readonly version: string
  /** What can be downloaded, by URL. */
  readonly artifacts: ReadonlyMap<string, Uint8Array>
  readonly signal: AbortSignal
  /** Called for each host. */
  readonly onHost?: (name: string, host: SimulatedHost) => void
}

/** Registers every machine as a Node and starts the real agent on each, over a simulated host. */
export async function startFleet({ api, machines, version, artifacts, signal, onHost }: FleetOptions): Promise<void> {
  const clock = scaledClock(HASTE)
  await Promise.all(
    machines.map(async (machine) => {
      await api.create('/api/v1/nodes', nodeOf(machine, version))
      const report = nodeReporter(api, machine.name)
      await report({ ready: true, kubeletVersion: `v${version}` })
      // A new Node is tainted as not ready until a controller, of which there is none here, sees that it is.
      await api.patch(`/api/v1/nodes/${machine.name}`, { spec: { taints: null } })
      // After the end there is nobody to tell; a kubelet that went on trying would keep the process alive.
      const onNodeStatus = async (status: NodeStatus): Promise<void> => (signal.aborted ? undefined : report(status))
      const host = new SimulatedHost({ clock, version, artifacts, onNodeStatus })
      onHost?.(machine.name, host)
      const { ports } = host.process(kubeNodeApi(api, machine.name))
      void new Agent(ports, DEFAULT_OPTIONS).run(signal)
    }),
  )
}

function nodeOf({ name, zone, labels }: Machine, version: string): object {
  const standard = { 'kubernetes.io/hostname': name, 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...standard, 'topology.kubernetes.io/zone': zone, ...labels } },
    status: {
      capacity: { cpu: '8', memory: '32Gi' },
      nodeInfo: {
        architecture: 'amd64',
        operatingSystem: 'linux',
        osImage: 'Debian GNU/Linux 12 (bookworm)',
        kubeletVersion: `v${version}`,
      },
    },
  }
}

/** What a kubelet would post to its Node's status; the time of a transition moves only with the condition. */
function nodeReporter(api: KubeApi, name: string): (status: NodeStatus) => Promise<void> {
  let before: { readonly ready: boolean; readonly at: string } | undefined
  return async ({ ready, kubeletVersion, heartbeat }) => {
    const now = new Date().toISOString()
    if (before?.ready !== ready) before = { ready, at: now }
    const condition = {
      type: 'Ready',
      status: ready ? 'True' : 'Unknown',
      reason: ready ? 'KubeletReady' : 'NodeStatusUnknown',
      message: ready ? 'kubelet is posting ready status' : 'Kubelet stopped posting node status.',
      lastTransitionTime: before.at,
      ...(heartbeat === undefined ? {} : { lastHeartbeatTime: new Date(heartbeat).toISOString() }),
    }
    const nodeInfo = kubeletVersion === undefined ? {} : { nodeInfo: { kubeletVersion } }
    await api.patch(`/api/v1/nodes/${name}/status`, { status: { conditions: [condition], ...nodeInfo } }, { type: 'strategic' })
  }
}
