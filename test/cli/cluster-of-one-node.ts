import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { aFolder } from './run-cli.ts'

const NODE = {
  metadata: { name: 'w-1', labels: { 'kubernetes.io/os': 'linux' } },
  spec: { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] },
  status: { nodeInfo: { kubeletVersion: 'v1.35.4' }, addresses: [] },
}
const INVENTORY = {
  ...{ kind: 'HostInventory', version: 1, node: 'w-1', arch: 'amd64', files: [], units: [], packages: [] },
  ...{ repositories: [], certificates: [], kernelArguments: '', swaps: [], omitted: [] },
  kubelet: {
    ...{ layout: 'kubeadm', flags: [], command: [], dropIns: [] },
    config: {
      path: '/var/lib/kubelet/config.yaml',
      text: 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 250\n',
    },
  },
}

/** An API server with one node. @returns a folder with its kubeconfig, and w-1.json, the inventory of the node */
export async function clusterOfOneNode(
  configz: { readonly status: number; readonly body: object },
  node: object = NODE,
): Promise<string> {
  const server: Server = createServer(({ url = '' }, response) => {
    const isConfigz = url.startsWith('/api/v1/nodes/w-1/proxy/configz')
    const { status, body } = isConfigz
      ? configz
      : { status: 200, body: { kind: 'NodeList', metadata: { resourceVersion: '1' }, items: [node] } }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const kubeconfig = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'x' },
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
  }
  return aFolder({ kubeconfig: JSON.stringify(kubeconfig), 'w-1.json': JSON.stringify(INVENTORY) })
}
