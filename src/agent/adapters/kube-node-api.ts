import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import type { ConnectionEvents, KubeletEndpoint, NodeApi, OwnNode } from '../ports.ts'
import { readMirrorPod } from './mirror-pods.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

/** Milliseconds. Of the own Node, on which the next look at the host waits. */
const LONGEST_ANSWER = 10_000

/** The API server as one node's agent uses it: its own Node, and ConfigMaps by name. */
export function kubeNodeApi(kube: KubeApi, name: string): NodeApi {
  const path = `/api/v1/nodes/${name}`
  return {
    follow: (signal, events) => followNode(kube, { ...events, name, signal }),
    get: async (options) => toOwnNode(await kube.get<KubeObject>(path, { ...options, timeout: LONGEST_ANSWER })),
    leaseRenewed: async () => {
      const lease = await kube.get<{ spec?: { renewTime?: string } }>(`${LEASES}/${name}`)
      return instantOf(lease.spec?.renewTime)
    },
    annotate: async (annotations, resourceVersion) =>
      toOwnNode(await kube.patch<KubeObject>(path, { metadata: { resourceVersion, annotations } })),
    configMap: async (namespace, configMap) => {
      const { data } = await kube.get<{ data?: Record<string, string> }>(
        `/api/v1/namespaces/${namespace}/configmaps/${configMap}`,
      )
      return data ?? {}
    },
    mirrorPod: (namespace, pod) => readMirrorPod(kube, { namespace, name: `${pod}-${name}` }),
    secret: async (namespace, secret) => {
      const { data } = await kube.get<{ data?: Record<string, string> }>(`/api/v1/namespaces/${namespace}/secrets/${secret}`)
      const decoded = Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])
      return Object.fromEntries(decoded)
    },
  }
}

/**
 * A deletion is not passed on: nobody took the assignment away, and a Node that comes back is seen then. Neither is another Node, of a server
 * or proxy that does not know the selector.
 */
async function* followNode(
  kube: KubeApi,
  { name, ...more }: ConnectionEvents & { readonly name: string; readonly signal: AbortSignal },
): AsyncIterable<OwnNode> {
  const options = { fieldSelector: `metadata.name=${name}`, project: toOwnNode, ...more }
  for await (const event of kube.follow('/api/v1/nodes', options)) {
    const seen = event.type === 'sync' ? event.items : event.type === 'upsert' ? [event.item] : []
    yield* seen.filter((node) => node.name === name)
  }
}

interface NodeStatus {
  readonly nodeInfo?: { readonly architecture?: string; readonly kubeletVersion?: string }
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } }
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly lastHeartbeatTime?: string }[]
}

export function toOwnNode({ metadata, ...node }: KubeObject): OwnNode {
  const status = (node.status ?? {}) as NodeStatus
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    version: metadata.resourceVersion ?? '',
    arch: status.nodeInfo?.architecture ?? '',
    annotations: metadata.annotations ?? {},
    labels: metadata.labels ?? {},
    ready: ready?.status === 'True',
    heartbeat: instantOf(ready?.lastHeartbeatTime),
    kubeletVersion: status.nodeInfo?.kubeletVersion ?? '',
    endpoint: endpointOf(status),
  }
}

function endpointOf({ addresses, daemonEndpoints }: NodeStatus): KubeletEndpoint | undefined {
  const address = addresses?.find(({ type }) => type === 'InternalIP')?.address
  const port = daemonEndpoints?.kubeletEndpoint?.Port
  return address && port ? { address, port } : undefined
}

function instantOf(stamp: string | undefined): number | undefined {
  const instant = Date.parse(stamp ?? '')
  return Number.isNaN(instant) ? undefined : instant
}
