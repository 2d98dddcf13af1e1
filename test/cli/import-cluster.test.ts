import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { aFolder, runCli } from './run-cli.ts'

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

/** An API server with one node. @returns the folder with its kubeconfig */
async function aCluster(configz: { readonly status: number; readonly body: object }): Promise<string> {
  const server: Server = createServer(({ url = '' }, response) => {
    const isConfigz = url.startsWith('/api/v1/nodes/w-1/proxy/configz')
    const { status, body } = isConfigz
      ? configz
      : { status: 200, body: { kind: 'NodeList', metadata: { resourceVersion: '1' }, items: [NODE] } }
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

async function remarksOf(folder: string, ...args: string[]) {
  const command = ['import', 'fleet', '--host', 'w-1.json', '--kubeconfig', join(folder, 'kubeconfig'), '-o', 'json', ...args]
  const { stdout, stderr, code } = await runCli(folder, command)
  const { pools } = JSON.parse(stdout) as { pools: { remarks: { what: string; why: string }[] }[] }
  return { stderr, code, remarks: pools.flatMap(({ remarks }) => remarks.map(({ what, why }) => `${what}: ${why}`)) }
}

test('import compares the file of a kubelet with what it runs with, and names the taints', async () => {
  const folder = await aCluster({ status: 200, body: { kubeletconfig: { maxPods: 110 } } })
  const { stderr, code, remarks } = await remarksOf(folder)
  expect([code, stderr]).toEqual([0, ''])
  expect(remarks).toContainEqual(expect.stringMatching(/^maxPods: 250: the kubelet runs with 110/))
  expect(remarks).toContainEqual('taints dedicated=db:NoSchedule: the Nodes have them already')
})

test('import warns when it may not ask kubelets, and goes on without', async () => {
  const body = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'nodes "w-1" is forbidden' }
  const { stderr, code } = await remarksOf(await aCluster({ status: 403, body }))
  expect(code).toBe(0)
  expect(stderr).toContain('warning: the configuration that kubelets run with is not compared')
  expect(stderr).toContain('it needs the right to get nodes/proxy')
})

test('import with --no-configz asks no kubelet', async () => {
  const { stderr, code } = await remarksOf(await aCluster({ status: 403, body: {} }), '--no-configz')
  expect([code, stderr]).toEqual([0, ''])
})
