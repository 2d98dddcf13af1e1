/** Changes of the kubelet's configuration by push, seen where kubelets show it. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'configuration', nodes: [{}, {}], group: 'fleet', run: changeMaxPods }]

async function changeMaxPods(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle({ version: versions.olderKubelet }))
  const before = await Promise.all(cluster.nodes.map((node) => configOf(cluster, node)))
  await part('push of maxPods → pool Ready', () => product.settle({ version: versions.olderKubelet, config: { maxPods: 57 } }))
  await part('pool Ready → capacity of all nodes', () => Promise.all(cluster.nodes.map((node) => capacityOf(node, '57'))))
  const after = await Promise.all(cluster.nodes.map((node) => configOf(cluster, node)))
  const expected = before.map((config) => JSON.stringify({ ...config, maxPods: 57 }))
  check(
    'maxPods alone has changed in the kubelets',
    expected.join() === after.map((config) => JSON.stringify(config)).join(),
    after,
  )
  check(
    'it was another before',
    before.every(({ maxPods }) => maxPods === 110),
    before,
  )
  await part('push of static policies for CPU and memory → pool Ready', () => managersAre(cluster, product, EXCLUSIVE))
  await part('push of more reserved memory → pool Ready', () => managersAre(cluster, product, MORE_RESERVED))
  await part('push of the policies before → pool Ready', () => managersAre(cluster, product, SHARED))
}

interface Managers {
  readonly config: Readonly<Record<string, unknown>>
  /** Policies of CPU and memory, as the state files name them. */
  readonly policies: readonly [cpu: string, memory: string]
}

/** Reserved is what the kubelet keeps for the system, and its eviction threshold of 100Mi. */
const staticWith = (memory: number): Managers => ({
  config: {
    maxPods: 57,
    cpuManagerPolicy: 'static',
    memoryManagerPolicy: 'Static',
    systemReserved: { cpu: '200m', memory: `${memory}Mi` },
    reservedMemory: [{ numaNode: 0, limits: { memory: `${memory + 100}Mi` } }],
  },
  policies: ['static', 'Static'],
})
const EXCLUSIVE = staticWith(200)
const MORE_RESERVED = staticWith(300)
const SHARED: Managers = { config: { maxPods: 57 }, policies: ['none', 'None'] }

/** A kubelet refuses to start over the state of other policies, or of another reservation. */
async function managersAre(cluster: Cluster, product: Product, { config, policies }: Managers): Promise<void> {
  await product.settle({ version: versions.olderKubelet, config })
  for (const node of cluster.nodes) {
    const { cpuManagerPolicy = 'none', memoryManagerPolicy = 'None' } = await configOf(cluster, node)
    const running = [cpuManagerPolicy, memoryManagerPolicy]
    check(`the kubelet of ${node.name} has the policies`, running.join() === policies.join(), running)
    const states = await Promise.all(['cpu', 'memory'].map((name) => node.read(`/var/lib/kubelet/${name}_manager_state`)))
    const remembered = states.map((text) => JSON.parse(text).policyName)
    check(`the state files of ${node.name} are of the policies`, remembered.join() === policies.join(), states)
  }
}

/** What the running kubelet goes by. The API server may still hold a connection to the one before it, and fail once. */
async function configOf({ api }: Cluster, { name }: Node): Promise<Readonly<Record<string, unknown>>> {
  const ask = () => api.ask<{ kubeletconfig: Record<string, unknown> }>(`/api/v1/nodes/${name}/proxy/configz`)
  return (await waitUntil(ask, { for: `the kubelet of "${name}" to show its configuration` })).kubeletconfig
}

async function capacityOf(node: Node, pods: string): Promise<void> {
  const there = async () => (await node.get()).status.capacity.pods === pods
  await waitUntil(there, { for: `"${node.name}" to have room for ${pods} pods` })
}
