/** A change of the kubelet's configuration by push, seen where kubelets show it. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { productOn } from '../product/product.ts'
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
