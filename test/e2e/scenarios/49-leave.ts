/** nodewave is taken away again, as its documentation says, and nodes are what they were before it came. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { kubeletConfig } from '../cluster/kubelet-config.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { BREAK_GLASS } from '../product/break-glass.ts'
import { productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'leave', nodes: [{}, {}], group: 'fleet', run: leave }]

async function leave(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const fleet = { version: versions.kubernetes, config: { maxPods: 61 }, flags: { v: 3 } }
  await part('fleet settled', () => product.settle(fleet))
  await product.controller.kill('SIGTERM')
  const names = cluster.nodes.map(({ name }) => name)
  await part('annotations removed → local configuration', async () => {
    await cluster.kubectl([...BREAK_GLASS, 'annotate', 'nodes', ...names, 'nodewave.io/desired-config-'])
    await Promise.all(cluster.nodes.map(isReverted))
  })
  for (const node of cluster.nodes) await checkOriginal(node)
}

async function isReverted(node: Node): Promise<void> {
  const reverted = async () => {
    const { metadata, status } = await node.get()
    const said = metadata.annotations?.['nodewave.io/status'] ?? '{}'
    const isOlder = status.nodeInfo.kubeletVersion === `v${versions.olderKubelet}`
    return JSON.parse(said).phase === 'Reverted' && isOlder && status.capacity.pods === '110'
  }
  await waitUntil(reverted, { for: `"${node.name}" to have its local configuration back` })
}

/** Byte for byte as the harness wrote them. */
async function checkOriginal(node: Node): Promise<void> {
  const originals = { '/var/lib/kubelet/config.yaml': kubeletConfig(), '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS=\n' }
  for (const [path, original] of Object.entries(originals)) {
    const found = await node.read(path)
    check(`${path} of "${node.name}" is as it was`, found === original, found)
  }
  const { metadata } = await node.get()
  check('nothing is said to be applied', metadata.annotations?.['nodewave.io/current-config'] === undefined, metadata.annotations)
}
