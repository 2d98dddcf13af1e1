/** Nodes that are only objects: kwok keeps them Ready and their pods Running, for measuring what a thousand of them cost. */
import { join } from 'node:path'
import { kwokStages } from '../build/kwok-stages.ts'
import type { Cluster } from './cluster.ts'
import type { Daemon } from './daemon.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { waitUntil } from './wait.ts'

export interface KwokOptions {
  /** How many nodes. */
  readonly nodes: number
  /** Version that their kubelets say they are. */
  readonly version: string
  /** Labels of node number i, counted from 0. */
  readonly labels?: (index: number) => Readonly<Record<string, string>>
  /** How long a lease is valid; kwok renews each four times in it. Default: 40. */
  readonly leaseSeconds?: number
}

export interface KwokNodes {
  readonly names: readonly string[]
  /** Seconds until all were Ready. */
  readonly seconds: number
  readonly daemon: Daemon
}

/** How many requests are under way at a time. */
const parallel = 20

export async function createKwokNodes(cluster: Cluster, options: KwokOptions): Promise<KwokNodes> {
  const daemon = cluster.daemon({
    name: 'kwok',
    command: [
      cluster.binary('kwok'),
      `--kubeconfig=${cluster.kubeconfig}`,
      `--config=${await kwokStages()}`,
      '--manage-all-nodes=false',
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      `--node-ip=${cluster.slot.host}`,
      '--cidr=10.245.0.0/16',
      `--node-lease-duration-seconds=${options.leaseSeconds ?? 40}`,
      '--v=WARN', // it would say something for each node and lease
    ],
  })
  const names = Array.from({ length: options.nodes }, (_, index) => `kwok-${String(index).padStart(4, '0')}`)
  const started = performance.now()
  const queue = names.entries()
  const worker = async () => {
    for (const [index, name] of queue)
      await cluster.api.ask('/api/v1/nodes', { method: 'POST', body: fakeNode(name, index, options) })
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  await waitUntil(async () => (await countReady(cluster)) === options.nodes, {
    for: `${options.nodes} kwok nodes to be Ready`,
    everyMs: 500,
  })
  return { names, seconds: (performance.now() - started) / 1000, daemon }
}

/** For what plays the agents of all these nodes: one client instead of a kubelet's credential for each. Admission lets it write what agents report. */
export async function agentsKubeconfig({ server, certificates, slot }: Cluster): Promise<string> {
  const name = 'kwok-agents'
  await certificates.issue({ name, user: name, groups: ['system:masters', 'nodewave:break-glass'] })
  return writeKubeconfig(join(slot.dir, `${name}.conf`), { server, certificates, client: { name }, user: name })
}

function fakeNode(name: string, index: number, { version, labels }: KwokOptions) {
  const resources = { cpu: '32', memory: '256Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        type: 'kwok',
        ...labels?.(index),
      },
    },
    status: { capacity: resources, allocatable: resources, nodeInfo: { ...emptyNodeInfo, kubeletVersion: `v${version}` } },
  }
}

/** The API wants every field. */
const emptyNodeInfo = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
}

interface NodeList {
  readonly items: readonly {
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
  }[]
}

async function countReady(cluster: Cluster): Promise<number> {
  const list = await cluster.api.ask<NodeList>('/api/v1/nodes?labelSelector=type%3Dkwok&resourceVersion=0')
  const isReady = ({ status }: NodeList['items'][number]) =>
    status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')
  return list.items.filter(isReady).length
}
